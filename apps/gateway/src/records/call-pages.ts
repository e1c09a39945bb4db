import { z } from 'zod';
import type { CallRow, CallPage } from '#lib/contracts';
import {
  recordLifeMs,
  toListedCall,
  type InvocationStore,
  type ListedId,
  type ListedCall,
  type CallIndex,
  type CallList,
  type SealingKey,
} from '#lib/transport';
import { Cursors } from './cursors.js';
import type { CallSelection } from './call-selection.js';

interface PageRequest {
  /** Epoch milliseconds: accepted at or after, and before. */
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** What a cursor is good for: the caller and the whole query. */
  readonly binding: string;
}

/** Behind this call, in one of the lists of the selection. */
const runPlace = z.strictObject({ list: z.number().int().nonnegative(), jobId: z.string(), createdAt: z.number() });

/** Calls that one page looks at. A filter that few calls pass gives shorter pages, not slower ones. */
const mostScanned = 1_000;
const batchSize = 100;

interface CallPagesParts {
  readonly index: Pick<CallIndex, 'shortest' | 'ids' | 'ended' | 'close'>;
  readonly store: Pick<InvocationStore, 'peek'>;
  readonly sealingKeys: readonly SealingKey[];
}

/** Pages of the lists of calls, newest first. A place is a call, so it stays good while others are added. */
export class CallPages {
  readonly #index: CallPagesParts['index'];
  readonly #store: CallPagesParts['store'];
  readonly #cursors: Cursors<z.infer<typeof runPlace>>;

  constructor({ index, store, sealingKeys }: CallPagesParts) {
    this.#index = index;
    this.#store = store;
    this.#cursors = new Cursors(sealingKeys, runPlace);
  }

  /** Throws INVALID_PARAMS for a cursor of another query. */
  async read(selection: CallSelection, { after, before, limit, cursor, binding }: PageRequest): Promise<CallPage> {
    const place = cursor === undefined ? null : this.#cursors.open(cursor, binding);
    // Which list is the shortest may change between two pages. That of open calls has no others, and none of them is too old.
    const open = selection.lists.findIndex(isOfOpen);
    const number = place?.list ?? (open < 0 ? await this.#index.shortest(selection.lists) : open);
    const list = selection.lists[number] ?? selection.lists[0];
    const oldest = isOfOpen(list) ? after : Math.max(after, Date.now() - recordLifeMs);
    const jobs: CallRow[] = [];
    const page = (behind: ListedId | null): CallPage => ({
      jobs,
      pagination: {
        has_more: behind !== null,
        next_cursor: behind && this.#cursors.seal({ list: number, jobId: behind.jobId, createdAt: behind.createdAt }, binding),
      },
    });
    let behind: ListedId | null = place;
    for (let scanned = 0; scanned < mostScanned;) {
      const ids = (await this.#index.ids(list, { before, behind, limit: batchSize })).filter(({ createdAt }) => createdAt >= oldest);
      if (ids.length === 0) return page(null);
      const known = await this.#read(list, ids);
      for (const [index, id] of ids.entries()) {
        if (jobs.length === limit) return page(behind);
        behind = id;
        const one = known[index];
        if (one && selection.has(one)) jobs.push(one.call);
      }
      scanned += ids.length;
    }
    return page(behind);
  }

  /** Null for a call that is gone. An open one is read from its record. */
  async #read(list: CallList, ids: readonly ListedId[]): Promise<readonly (ListedCall | null)[]> {
    const rows = await this.#index.ended(ids);
    const calls = await Promise.all(
      ids.map(async ({ jobId }) => {
        const known = rows.get(jobId);
        if (known) return known;
        const record = await this.#store.peek(jobId);
        return record && toListedCall(record);
      }),
    );
    // The process that ended it died before it wrote, or a write of its beginning came late.
    const ended = ids.filter((_, index) => calls[index]?.call.finished_at !== null).map(({ jobId }) => jobId);
    await this.#index.close(list, ended);
    return calls;
  }
}

function isOfOpen([kind, name]: CallList): boolean {
  return kind === 'state' && name === 'open';
}

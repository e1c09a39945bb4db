import { z } from 'zod';
import type { Run, RunPage } from '#lib/contracts';
import {
  recordLifeMs,
  toListedRun,
  type InvocationStore,
  type ListedId,
  type ListedRun,
  type RunIndex,
  type RunList,
  type SealingKey,
} from '#lib/transport';
import { Cursors } from './cursors.js';
import type { RunSelection } from './run-selection.js';

interface PageRequest {
  /** Epoch milliseconds: accepted at or after, and before. */
  readonly after: number;
  readonly before: number;
  readonly limit: number;
  readonly cursor: string | undefined;
  /** What a cursor is good for: the caller and the whole query. */
  readonly binding: string;
}

/** Behind this run, in one of the lists of the selection. */
const runPlace = z.strictObject({ list: z.number().int().nonnegative(), jobId: z.string(), createdAt: z.number() });

/** Runs that one page looks at. A filter that few runs pass gives shorter pages, not slower ones. */
const mostScanned = 1_000;
const batchSize = 100;

interface RunPagesParts {
  readonly index: Pick<RunIndex, 'shortest' | 'ids' | 'ended' | 'close'>;
  readonly store: Pick<InvocationStore, 'peek'>;
  readonly sealingKeys: readonly SealingKey[];
}

/** Pages of the lists of runs, newest first. A place is a run, so it stays good while others are added. */
export class RunPages {
  readonly #index: RunPagesParts['index'];
  readonly #store: RunPagesParts['store'];
  readonly #cursors: Cursors<z.infer<typeof runPlace>>;

  constructor({ index, store, sealingKeys }: RunPagesParts) {
    this.#index = index;
    this.#store = store;
    this.#cursors = new Cursors(sealingKeys, runPlace);
  }

  /** Throws INVALID_PARAMS for a cursor of another query. */
  async read(selection: RunSelection, { after, before, limit, cursor, binding }: PageRequest): Promise<RunPage> {
    const place = cursor === undefined ? null : this.#cursors.open(cursor, binding);
    // Which list is the shortest may change between two pages. That of open runs has no others, and none of them is too old.
    const open = selection.lists.findIndex(isOfOpen);
    const number = place?.list ?? (open < 0 ? await this.#index.shortest(selection.lists) : open);
    const list = selection.lists[number] ?? selection.lists[0];
    const oldest = isOfOpen(list) ? after : Math.max(after, Date.now() - recordLifeMs);
    const jobs: Run[] = [];
    const page = (behind: ListedId | null): RunPage => ({
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
        if (one && selection.has(one)) jobs.push(one.run);
      }
      scanned += ids.length;
    }
    return page(behind);
  }

  /** Null for a run that is gone. An open one is read from its record. */
  async #read(list: RunList, ids: readonly ListedId[]): Promise<readonly (ListedRun | null)[]> {
    const rows = await this.#index.ended(ids);
    const runs = await Promise.all(
      ids.map(async ({ jobId }) => {
        const known = rows.get(jobId);
        if (known) return known;
        const record = await this.#store.peek(jobId);
        return record && toListedRun(record);
      }),
    );
    // The process that ended it died before it wrote, or a write of its beginning came late.
    const ended = ids.filter((_, index) => runs[index]?.run.finished_at !== null).map(({ jobId }) => jobId);
    await this.#index.close(list, ended);
    return runs;
  }
}

function isOfOpen([kind, name]: RunList): boolean {
  return kind === 'state' && name === 'open';
}

import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { toShownRest, type CallPage } from '#lib/contracts';
import { recordLifeMs, toListedCall, type CallRecord, type ListedId, type ListedCall, type CallList } from '#lib/transport';
import { inItsPlace, CallFlows } from '../rules/flow/call-flows.js';
import { Cursors } from '../http/cursors.js';
import type { CallSelection } from './call-selection.js';
import { Stores } from '../stores.js';

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

/** A call of a list, and its record where it is open. */
interface KnownCall extends ListedCall {
  readonly record?: CallRecord;
}

/** Pages of the lists of calls, newest first. A place is a call, so it stays good while others are added. */
@Injectable()
export class CallPages {
  readonly #cursors: Cursors<z.infer<typeof runPlace>>;

  constructor(
    private readonly stores: Stores,
    private readonly flows: CallFlows,
  ) {
    this.#cursors = new Cursors(stores.settings.SEALING_KEYS, runPlace);
  }

  /** Throws INVALID_PARAMS for a cursor of another query. */
  async read(selection: CallSelection, { after, before, limit, cursor, binding }: PageRequest): Promise<CallPage> {
    const place = cursor === undefined ? null : this.#cursors.open(cursor, binding);
    // Which list is the shortest may change between two pages. That of open calls has no others, and none of them is too old.
    const open = selection.lists.findIndex(isOfOpen);
    const number = place?.list ?? (open < 0 ? await this.stores.callLists.shortest(selection.lists) : open);
    const list = selection.lists[number] ?? selection.lists[0];
    const oldest = isOfOpen(list) ? after : Math.max(after, Date.now() - recordLifeMs);
    const calls: KnownCall[] = [];
    const page = async (behind: ListedId | null): Promise<CallPage> => ({
      jobs: await this.#withRests(calls),
      pagination: {
        has_more: behind !== null,
        next_cursor: behind && this.#cursors.seal({ list: number, jobId: behind.jobId, createdAt: behind.createdAt }, binding),
      },
    });
    let behind: ListedId | null = place;
    for (let scanned = 0; scanned < mostScanned;) {
      const ids = (await this.stores.callLists.ids(list, { before, behind, limit: batchSize })).filter(
        ({ createdAt }) => createdAt >= oldest,
      );
      if (ids.length === 0) return page(null);
      const known = await this.#read(list, ids);
      for (const [index, id] of ids.entries()) {
        if (calls.length === limit) return page(behind);
        behind = id;
        const one = known[index];
        if (one && selection.has(one)) calls.push(one);
      }
      scanned += ids.length;
    }
    return page(behind);
  }

  /** Where calls wait in lines, one question tells it for all. */
  async #withRests(calls: readonly KnownCall[]): Promise<CallPage['jobs']> {
    const places = await this.flows.standing(calls.flatMap(({ record }) => record ?? []));
    return calls.map(({ call, record }) => {
      const rest = record && inItsPlace(record, places).rest;
      return { ...call, ...(rest && { rest: toShownRest(rest) }) };
    });
  }

  /** Null for a call that is gone. An open one is read from its record. */
  async #read(list: CallList, ids: readonly ListedId[]): Promise<readonly (KnownCall | null)[]> {
    const rows = await this.stores.callLists.ended(ids);
    const calls = await Promise.all(
      ids.map(async ({ jobId }) => {
        const known = rows.get(jobId);
        if (known) return known;
        const record = await this.stores.store.peek(jobId);
        return record && { ...toListedCall(record), record };
      }),
    );
    // The process that ended it died before it wrote, or a write of its beginning came late.
    const ended = ids.filter((_, index) => calls[index]?.call.finished_at !== null).map(({ jobId }) => jobId);
    await this.stores.callLists.close(list, ended);
    return calls;
  }
}

function isOfOpen([kind, name]: CallList): boolean {
  return kind === 'state' && name === 'open';
}

import { Inject, Injectable } from '@nestjs/common';
import { principal, type Caller, type JobState } from '#lib/contracts';
import type { CallRecord, InvocationStore, Partition, Partitions } from '#lib/transport';
import type { Answer } from '../calls/answer.js';
import { Answers } from '../calls/answers.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { Stores } from '../stores.js';

/** Where a page begins: before a time in epoch milliseconds, without the jobs of that millisecond that were shown already. */
export interface PagePlace {
  readonly before: number;
  readonly skip: readonly string[];
}

export interface JobQuery {
  readonly state: JobState | null;
  readonly tool: string | null;
  /** Most jobs of a page. */
  readonly limit: number;
  /** Null for the newest. */
  readonly from: PagePlace | null;
}

interface ListEntry {
  readonly jobId: string;
  /** Epoch milliseconds. */
  readonly createdAt: number;
}

export interface ListedJob {
  readonly record: CallRecord;
  /** Null while the job is open. Secrets stay closed. */
  readonly answer: Answer | null;
}

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** Null on the last page. */
  readonly next: PagePlace | null;
}

type JobLabel = NonNullable<Awaited<ReturnType<InvocationStore['readLabel']>>>;

/** Whose jobs, and where they may be. */
interface Lists {
  readonly name: string;
  readonly partitions: readonly Partition[];
}

/** Records that one page looks at. A filter that few jobs pass gives shorter pages, not slower ones. */
const mostScanned = 500;
/** Records that are looked at together. */
const batchSize = 100;

/**
 * Pages of a caller's own jobs over all domains, newest first. A place is a time, so it stays good while jobs are added. A page may
 * have fewer jobs than its limit, or none, although there are more.
 */
@Injectable()
export class JobPages {
  constructor(
    @Inject(Stores)
    private readonly stores: {
      readonly store: Pick<InvocationStore, 'jobsOf' | 'peek' | 'readLabel'>;
      readonly partitions: Pick<Partitions, 'of'>;
    },
    private readonly answers: Answers,
    private readonly tools: ToolDirectory,
  ) {}

  #listsOf(caller: Caller): Lists {
    const name = principal(caller);
    const { queues } = this.tools.of(caller).catalog;
    return { name, partitions: queues.flatMap((domain) => this.stores.partitions.of(domain, name)) };
  }

  async read(caller: Caller, query: JobQuery): Promise<JobPage> {
    const who = this.#listsOf(caller);
    const jobs: ListedJob[] = [];
    let place = query.from ?? { before: Number.MAX_SAFE_INTEGER, skip: [] };
    for (let scanned = 0; scanned < mostScanned;) {
      const batch = await this.#batch(who, place);
      if (batch.length === 0) return { jobs, next: null };
      const found = await Promise.all(batch.map(({ jobId }) => this.#find(jobId, query)));
      for (const [index, entry] of batch.entries()) {
        if (jobs.length === query.limit) return { jobs, next: place };
        place = behind(place, entry);
        const record = found[index];
        if (record) jobs.push(await this.#listed(record));
      }
      scanned += batch.length;
    }
    return { jobs, next: place };
  }

  /**
   * Ids of a caller's jobs that have not ended, newest first, some at a time, and the time in ms up to which was looked.
   * @param query.before epoch ms; the times are those of `InvocationStore.jobsOf`
   */
  async *open(caller: Caller, query: Pick<JobQuery, 'state' | 'tool'> & { readonly before: number; readonly after: number }) {
    const who = this.#listsOf(caller);
    let place: PagePlace = { before: query.before, skip: [] };
    for (;;) {
      const batch = (await this.#batch(who, place)).filter(({ createdAt }) => createdAt >= query.after);
      const last = batch.at(-1);
      if (!last) return;
      const labels = await Promise.all(batch.map(({ jobId }) => this.stores.store.readLabel(jobId)));
      const isAsked = ({ tool, state }: JobLabel): boolean =>
        isOpen(state) && (query.state === null || state === query.state) && (query.tool === null || tool === query.tool);
      const jobIds = batch.flatMap(({ jobId }, index) => (labels[index] && isAsked(labels[index]) ? [jobId] : []));
      yield { jobIds, scanned: batch.length, until: last.createdAt };
      for (const entry of batch) place = behind(place, entry);
    }
  }

  /** The next jobs of all domains, in the order of the list; empty at its end. */
  async #batch(who: Lists, { before, skip }: PagePlace): Promise<readonly ListEntry[]> {
    const limit = batchSize + skip.length;
    const lists = await Promise.all(who.partitions.map((one) => this.stores.store.jobsOf(one, who.name, { before, limit })));
    // Behind the end of a list that was cut there may be more of its partition.
    const horizon = Math.max(0, ...lists.filter((list) => list.length === limit).map((list) => list.at(-1)?.createdAt ?? 0));
    const shown = new Set(skip);
    return lists
      .flat()
      .filter(({ jobId, createdAt }) => createdAt >= horizon && !shown.has(jobId))
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.jobId < b.jobId ? 1 : -1))
      .slice(0, batchSize);
  }

  /** The record of a job that the query asks for; null for another, or one that is gone. */
  async #find(jobId: string, { state, tool }: JobQuery): Promise<CallRecord | null> {
    if (state !== null || tool !== null) {
      const label = await this.stores.store.readLabel(jobId);
      if (!label || (state !== null && label.state !== state) || (tool !== null && label.tool !== tool)) return null;
    }
    return this.stores.store.peek(jobId);
  }

  async #listed(record: CallRecord): Promise<ListedJob> {
    const { ending } = record;
    return { record, answer: ending && (await this.answers.ofListed({ ...record, ending })) };
  }
}

function isOpen(state: JobState): boolean {
  return state !== 'completed' && state !== 'failed' && state !== 'cancelled';
}

/** The place behind an entry. Jobs of one millisecond are told apart by their ids. */
function behind({ before, skip }: PagePlace, { jobId, createdAt }: ListEntry): PagePlace {
  return { before: createdAt, skip: createdAt === before ? [...skip, jobId] : [jobId] };
}

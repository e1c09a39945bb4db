import { domains, principal, type Caller, type JobState } from '#lib/contracts';
import type { InvocationRecord, InvocationStore } from '#lib/transport';
import type { Answer } from './answer.js';
import type { Answers } from './answers.js';

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

export interface ListedJob {
  readonly record: InvocationRecord;
  /** Null while the job is open. Secrets stay closed. */
  readonly answer: Answer | null;
}

export interface JobPage {
  readonly jobs: readonly ListedJob[];
  /** Null on the last page. */
  readonly next: PagePlace | null;
}

/** Pages of a caller's own jobs over all domains, newest first. A place is a time, so it stays good while jobs are added. */
export class JobPages {
  readonly #store: Pick<InvocationStore, 'jobsOf' | 'read'>;
  readonly #answers: Pick<Answers, 'ofListed'>;

  constructor(store: Pick<InvocationStore, 'jobsOf' | 'read'>, answers: Pick<Answers, 'ofListed'>) {
    this.#store = store;
    this.#answers = answers;
  }

  async read(caller: Caller, query: JobQuery): Promise<JobPage> {
    const who = principal(caller);
    const jobs: ListedJob[] = [];
    let { before, skip } = query.from ?? { before: Number.MAX_SAFE_INTEGER, skip: [] };
    for (;;) {
      const batch = await this.#batch(who, { before, skip }, query.limit);
      if (batch.length === 0) return { jobs, next: null };
      for (const { jobId, createdAt } of batch) {
        if (jobs.length === query.limit) return { jobs, next: { before, skip } };
        // Jobs of one millisecond are told apart by their ids.
        skip = createdAt === before ? [...skip, jobId] : [jobId];
        before = createdAt;
        const record = await this.#store.read(jobId);
        if (record && matches(record, query)) jobs.push(this.#listed(record));
      }
    }
  }

  /** Enough jobs of every domain to fill a page, in the order of the list. */
  async #batch(who: string, { before, skip }: PagePlace, limit: number) {
    const lists = await Promise.all(
      Object.keys(domains).map((domain) => this.#store.jobsOf(domain, who, { before, limit: limit + skip.length + 1 })),
    );
    const shown = new Set(skip);
    return lists
      .flat()
      .toSorted((a, b) => b.createdAt - a.createdAt || (a.jobId < b.jobId ? 1 : -1))
      .filter(({ jobId }) => !shown.has(jobId));
  }

  #listed(record: InvocationRecord): ListedJob {
    const { ending } = record;
    return { record, answer: ending && this.#answers.ofListed({ ...record, ending }) };
  }
}

function matches({ state, head }: InvocationRecord, query: JobQuery): boolean {
  return (query.state === null || state === query.state) && (query.tool === null || head.tool === query.tool);
}

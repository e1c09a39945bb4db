// The history of calls, as its reader gets it: how often each job is in it.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { AuditRecord } from './history/history.js';
import { hasEnded } from './checker/endings.js';

interface PastCallsOptions {
  readonly url: string;
  /** Of everybody who called. */
  readonly apiKeys: readonly string[];
  /** How long ended calls may take to get there. */
  readonly forMs: number;
}

/** What is read of a page: a gateway of an older version has fewer fields. */
const page = z.object({
  calls: z.array(z.object({ job_id: z.string() })),
  pagination: z.object({ next_cursor: z.string().nullable() }),
});

/** The same records with `inHistory`. */
export async function withHistory(audits: readonly AuditRecord[], options: PastCallsOptions): Promise<readonly AuditRecord[]> {
  const deadline = performance.now() + options.forMs;
  for (;;) {
    const times = await timesInHistory(options);
    const seen = audits.map((audit) => ({ ...audit, inHistory: times.get(audit.jobId) ?? 0 }));
    if (performance.now() > deadline || seen.every((audit) => !hasEnded(audit) || audit.inHistory > 0)) return seen;
    await sleep(1_000);
  }
}

async function timesInHistory({ url, apiKeys }: PastCallsOptions): Promise<ReadonlyMap<string, number>> {
  const times = new Map<string, number>();
  for (const apiKey of apiKeys) {
    for (let cursor: string | null = ''; cursor !== null;) {
      const response = await fetch(`${url}/history?limit=1000${cursor && `&cursor=${cursor}`}`, {
        headers: { authorization: `Bearer ${apiKey}` },
      });
      if (!response.ok) throw new Error(`the history answers ${response.status}: ${await response.text()}`);
      const { calls, pagination } = page.parse(await response.json());
      for (const { job_id } of calls) times.set(job_id, (times.get(job_id) ?? 0) + 1);
      cursor = pagination.next_cursor;
    }
  }
  return times;
}

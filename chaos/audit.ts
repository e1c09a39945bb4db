// After the last fault has healed, the owner of every acknowledged job asks for it once more.
import type { CallLog } from './history/call-log.js';
import type { AuditRecord } from './history/history.js';
import { slackMs } from './load/call-parts.js';
import type { Client } from './load/client.js';
import { RetryPolicy } from './load/retry-policy.js';
import { parsePolled } from './load/wire.js';
import type { Random } from './random.js';

interface AuditOptions {
  readonly client: Client;
  readonly random: Random;
  /** How long open jobs may still take to end. */
  readonly forMs: number;
}

const atOnce = 24;
const pollSeconds = 5;

export async function audit(calls: readonly CallLog[], options: AuditOptions): Promise<readonly AuditRecord[]> {
  const queue = calls.flatMap((log) => (log.jobId === null ? [] : [{ log, jobId: log.jobId }]));
  const records: AuditRecord[] = [];
  const deadline = performance.now() + options.forMs;
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      records.push(await auditOne(next, { ...options, forMs: Math.max(slackMs, deadline - performance.now()) }));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return records;
}

async function auditOne({ log, jobId }: { log: CallLog; jobId: string }, { client, random, forMs }: AuditOptions): Promise<AuditRecord> {
  const gateways = client.gateways;
  const retry = new RetryPolicy({ random, gateway: random.integer(0, gateways - 1), gateways, forMs });
  let last: AuditRecord = { callId: log.id, jobId, status: 0, state: null };
  // At least once, then until it has ended or time is up.
  do {
    const path = `/jobs/${jobId}?wait=${pollSeconds}`;
    const answer = await client.json(log, retry.gateway, {
      what: 'audit',
      method: 'GET',
      path,
      withinMs: pollSeconds * 1_000 + slackMs,
    });
    if (typeof answer === 'object') {
      const job = answer.status === 200 ? parsePolled(answer.body) : null;
      last = { callId: log.id, jobId, status: answer.status, state: job?.state ?? null };
      if (job?.result) log.ending('audit', job.result);
      if (job?.result || answer.status === 404) return last;
    }
    await retry.pause(answer);
  } while (!retry.isOver);
  return last;
}

import { setTimeout as sleep } from 'node:timers/promises';
import { slackMs, type CallParts, type ToolCall } from './call-parts.js';
import { isRetryable } from './retry-policy.js';
import { parseAccepted, parsePolled } from './wire.js';

const pollSeconds = 2;

interface CancelledCall extends ToolCall {
  /** From the moment that it is accepted. */
  readonly cancelAfterMs: number;
}

/** Takes 202, cancels after a while, and polls for the end, whichever came first. */
export async function callAndCancel(parts: CallParts, call: CancelledCall): Promise<void> {
  const jobId = await accept(parts, call);
  if (jobId === null) return;
  await sleep(call.cancelAfterMs);
  const { client, log, retry } = parts;
  while (!retry.isOver) {
    const answer = await client.json(log, retry.gateway, { what: 'cancel', method: 'DELETE', path: `/jobs/${jobId}`, withinMs: slackMs });
    // 409: it had ended.
    if (typeof answer === 'object' && !isRetryable(answer)) break;
    await retry.pause(answer);
  }
  await poll(parts, jobId);
}

/** Takes 202 and polls until the job has ended. */
export async function callAndPoll(parts: CallParts, call: ToolCall): Promise<void> {
  const jobId = await accept(parts, call);
  if (jobId !== null) await poll(parts, jobId);
}

/** The job's id, or null when it was refused for good or time is up. */
async function accept(parts: CallParts, { tool, input }: ToolCall): Promise<string | null> {
  const { client, log, retry } = parts;
  while (!retry.isOver) {
    const answer = await client.json(log, retry.gateway, {
      what: 'call',
      method: 'POST',
      path: `/tools/${tool}`,
      headers: { 'idempotency-key': log.id, accept: 'application/json', prefer: 'respond-async' },
      body: input,
      withinMs: slackMs,
    });
    if (typeof answer === 'object') {
      const jobId = answer.status === 202 ? parseAccepted(answer.body) : null;
      if (jobId !== null) {
        log.acknowledged(jobId);
        return jobId;
      }
      if (!isRetryable(answer)) {
        log.end();
        return null;
      }
    }
    await retry.pause(answer);
  }
  return null;
}

async function poll({ client, log, retry }: CallParts, jobId: string): Promise<void> {
  while (!retry.isOver) {
    const answer = await client.json(log, retry.gateway, {
      what: 'poll',
      method: 'GET',
      path: `/jobs/${jobId}?wait=${pollSeconds}`,
      withinMs: pollSeconds * 1_000 + slackMs,
    });
    if (typeof answer === 'object') {
      const job = answer.status === 200 ? parsePolled(answer.body) : null;
      if (job?.result) {
        log.ending('poll', job.result);
        return log.end();
      }
      if (job) continue;
      if (!isRetryable(answer)) return log.end();
    }
    await retry.pause(answer);
  }
}

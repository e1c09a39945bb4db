import { slackMs, type CallParts, type ToolCall } from './call-parts.js';
import { isRetryable } from './retry-policy.js';
import { parseAccepted, parsePolled } from './wire.js';

const pollSeconds = 2;

/** Takes 202 and polls until the job has ended. */
export async function callAndPoll(parts: CallParts, { tool, input }: ToolCall): Promise<void> {
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
        return poll(parts, jobId);
      }
      if (!isRetryable(answer)) return log.end();
    }
    await retry.pause(answer);
  }
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

import { slackMs, type CallParts, type ToolCall } from './call-parts.js';
import { isRetryable } from './retry-policy.js';

/** Waits for the answer; asks again with the same key until a job's ending is told. */
export async function callAsJson({ client, log, retry }: CallParts, { tool, input, deadlineMs }: ToolCall): Promise<void> {
  while (!retry.isOver) {
    const answer = await client.json(log, retry.gateway, {
      what: 'call',
      method: 'POST',
      path: `/tools/${tool}`,
      headers: { 'idempotency-key': log.id, accept: 'application/json' },
      body: input,
      withinMs: deadlineMs + slackMs,
    });
    if (typeof answer === 'object') {
      if (answer.envelope?.metadata.job_id !== undefined) {
        log.ending('answer', answer.envelope);
        return log.end();
      }
      if (!isRetryable(answer)) return log.end();
    }
    await retry.pause(answer);
  }
}

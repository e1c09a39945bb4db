import { slackMs, type CallParts, type ToolCall } from './call-parts.js';
import { isWorthAnotherTry } from './patience.js';

/** Waits for the answer; asks again with the same key until a job's ending is told. */
export async function callAsJson({ client, log, patience }: CallParts, { tool, input, deadlineMs }: ToolCall): Promise<void> {
  while (!patience.isOver) {
    const answer = await client.json(log, patience.gateway, {
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
      if (!isWorthAnotherTry(answer)) return log.end();
    }
    await patience.pause(answer);
  }
}

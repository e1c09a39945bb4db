import { slackMs, type CallParts, type ToolCall } from './call-parts.js';
import { isWorthAnotherTry } from './patience.js';
import { parseAccepted, parsePolled } from './wire.js';

const pollSeconds = 2;

/** Takes 202 and polls until the job has ended. */
export async function callAndPoll(parts: CallParts, { tool, input }: ToolCall): Promise<void> {
  const { client, log, patience } = parts;
  while (!patience.isOver) {
    const answer = await client.json(log, patience.gateway, {
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
      if (!isWorthAnotherTry(answer)) return log.end();
    }
    await patience.pause(answer);
  }
}

async function poll({ client, log, patience }: CallParts, jobId: string): Promise<void> {
  while (!patience.isOver) {
    const answer = await client.json(log, patience.gateway, {
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
      if (!isWorthAnotherTry(answer)) return log.end();
    }
    await patience.pause(answer);
  }
}

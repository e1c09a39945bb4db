// Follows a call's events. When the connection breaks, it resumes after the last id at any gateway that answers.
import { readServerSentEvents, type ServerSentEvent } from '#lib/client';
import { slackMs, type CallParts, type ToolCall } from './call-parts.js';
import type { Ask, Streamed } from './client.js';
import { isRetryable } from './retry-policy.js';
import { parseEnvelope, parseJson } from './wire.js';

/** Ids are opaque to clients; a checker may look inside: the job, and the place in its log. */
const idShape = /^evt_([a-z0-9~-]+_[0-9a-f]{32})_(\d+)$/;

export async function callAsStream(parts: CallParts, call: ToolCall): Promise<void> {
  const reader = new StreamReader(parts);
  await readAll(parts, reader, () => reader.ask(call));
}

/** Follows a job that somebody else has started, from its first event. */
export async function followJob(parts: CallParts, jobId: string): Promise<void> {
  const reader = new StreamReader(parts);
  await readAll(parts, reader, () => reader.askForEvents(jobId));
}

async function readAll({ client, log, retry }: CallParts, reader: StreamReader, ask: () => Ask): Promise<void> {
  while (!retry.isOver) {
    const answer: Streamed = await client.stream(log, retry.gateway, ask());
    if (typeof answer === 'string') await retry.pause(answer);
    else if ('stream' in answer) {
      await reader.read(answer.stream);
      if (log.endedAt !== null) return;
      await retry.pause('cut');
    }
    // 204: no events are left. The checker decides whether that is true.
    else if (!isRetryable(answer)) return log.end();
    else await retry.pause(answer);
  }
}

class StreamReader {
  readonly #parts: CallParts;
  #lastId: string | null = null;
  #connections = 0;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** The call itself at first; after the first event, the rest of the events, at one of two doors by chance. */
  ask({ tool, input }: ToolCall): Ask {
    const { log, retry } = this.#parts;
    const accept = { accept: 'text/event-stream' };
    if (this.#lastId === null) {
      return {
        what: 'stream',
        method: 'POST',
        path: `/tools/${tool}/sse`,
        headers: { ...accept, 'idempotency-key': log.id },
        body: input,
        withinMs: slackMs,
      };
    }
    if (log.jobId !== null && retry.random.chance(0.5)) return this.askForEvents(log.jobId);
    const headers = { ...accept, 'last-event-id': this.#lastId };
    return { what: 'stream', method: 'POST', path: `/tools/${tool}/sse`, headers, body: input, withinMs: slackMs };
  }

  /** The events that it has not read. */
  askForEvents(jobId: string): Ask {
    const headers = { accept: 'text/event-stream', ...(this.#lastId !== null && { 'last-event-id': this.#lastId }) };
    return { what: 'stream', method: 'GET', path: `/jobs/${jobId}/events`, headers, withinMs: slackMs };
  }

  /** Reads to the end of the connection, also past a terminal event: nothing may follow it. */
  async read(stream: ReadableStream<Uint8Array>): Promise<void> {
    const { log } = this.#parts;
    this.#connections += 1;
    let isTerminated = false;
    for await (const event of readServerSentEvents(stream)) {
      if (this.#take(event)) isTerminated = true;
    }
    if (isTerminated) log.end();
  }

  /** Whether it was a terminal event of the job. */
  #take({ event, id, data }: ServerSentEvent): boolean {
    const { log } = this.#parts;
    const [, job, seq] = idShape.exec(id) ?? [];
    // The event of a refusal belongs to no job; the call is tried again.
    if (job === undefined) return false;
    this.#lastId = id;
    const isTerminal = event === 'tool_result' || event === 'tool_error';
    log.event({ jobId: `inv_${job}`, seq: Number(seq), isTerminal, connection: this.#connections });
    const envelope = isTerminal ? parseEnvelope(parseJson(data)) : null;
    if (envelope) log.ending('stream', envelope);
    return isTerminal;
  }
}

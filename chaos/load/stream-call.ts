// Follows a call's events and, whenever the connection breaks, comes back with the last id, at whichever gateway answers.
import { readServerSentEvents, type ServerSentEvent } from '#lib/client';
import { slackMs, type CallParts, type ToolCall } from './call-parts.js';
import type { Ask, Streamed } from './client.js';
import { isWorthAnotherTry } from './patience.js';
import { parseEnvelope, parseJson } from './wire.js';

/** Ids are opaque to clients; a checker may look inside: the job, and the place in its log. */
const idShape = /^evt_([a-z0-9-]+_[0-9a-f]{32})_(\d+)$/;

export async function callAsStream(parts: CallParts, call: ToolCall): Promise<void> {
  const { client, log, patience } = parts;
  const reader = new StreamReader(parts);
  while (!patience.isOver) {
    const answer: Streamed = await client.stream(log, patience.gateway, reader.ask(call));
    if (typeof answer === 'string') await patience.pause(answer);
    else if ('stream' in answer) {
      await reader.read(answer.stream);
      if (log.endedAt !== null) return;
      await patience.pause('cut');
    }
    // 204: nothing is left. Whether that is true is for the checker to say.
    else if (!isWorthAnotherTry(answer)) return log.end();
    else await patience.pause(answer);
  }
}

class StreamReader {
  readonly #parts: CallParts;
  #lastId: string | null = null;
  #connections = 0;

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** The first time the call itself; from the first event on, what came after the last one, at either of the two doors. */
  ask({ tool, input }: ToolCall): Ask {
    const { log, patience } = this.#parts;
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
    const headers = { ...accept, 'last-event-id': this.#lastId };
    if (patience.random.chance(0.5))
      return { what: 'stream', method: 'GET', path: `/jobs/${log.jobId}/events`, headers, withinMs: slackMs };
    return { what: 'stream', method: 'POST', path: `/tools/${tool}/sse`, headers, body: input, withinMs: slackMs };
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

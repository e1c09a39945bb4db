// Calls that their maker may leave: by its signal, or by leaving the loop over their events. A connection that breaks leaves nothing.
import type { Envelope } from '#lib/contracts';
import type { CallOptions } from './call-request.js';
import { cancelJob, jobOfEvent } from './cancel-job.js';
import { toolEvents } from './event-forms.js';
import { followEvents, type StreamRequest } from './event-stream.js';
import type { Transport } from './transport.js';
import type { RestingCall, StreamEvent } from './call-wire.js';

/** A call that was sent and is left before the gateway said which job it is: so long its answer is waited for, to cancel the job. */
const patienceMs = 5_000;

interface OwnRequest extends StreamRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** False when the job is this call's alone. */
  readonly mayBeJoined: boolean;
  /** Who leaves a call that rests leaves it to go on. Default: it is cancelled, as every other. */
  readonly goesOnAtRest?: boolean;
}

/**
 * The events of a call that is made here. Who leaves them before the last one cancels the job. When the signal fires and the job had
 * ended before, its remaining events are given; otherwise the reason of the signal is thrown.
 */
export async function* ownEvents(
  transport: Transport,
  { mayBeJoined, goesOnAtRest = false, ...request }: OwnRequest,
): AsyncGenerator<StreamEvent, void> {
  const leaving = new Leaving(request.signal);
  let lastId: string | undefined;
  let isDone = false;
  let isLoopLeft = true;
  const cancel = async (): Promise<boolean> => {
    const { jobId } = leaving;
    return jobId === undefined || cancelJob(transport, { jobId, headers: request.headers, unlessJoined: mayBeJoined });
  };
  try {
    for await (const event of followEvents(transport, { ...request, signal: leaving.connection }, toolEvents)) {
      lastId = event.id;
      isDone = toolEvents.isLast(event) || (goesOnAtRest && event.event === 'tool_resting');
      leaving.learn(jobOfEvent(event.id));
      if (leaving.isAsked && !isDone) break;
      yield event;
    }
    isLoopLeft = false;
  } catch (error) {
    isLoopLeft = false;
    // What broke was not left: the job goes on, and its events can still be read.
    if (!leaving.isAsked) throw error;
  } finally {
    leaving.close();
    if (isLoopLeft && !isDone) await cancel();
  }
  if (isDone) return;
  if (await cancel()) throw leaving.reason;
  yield* followEvents(transport, { path: `jobs/${leaving.jobId}/events`, after: lastId, headers: request.headers }, toolEvents);
}

/** An answer that names a job, such as that of a call that is not waited for. When the signal fires before it, the job is cancelled. */
export async function ownAnswer<Answer>(
  send: (signal: AbortSignal | undefined) => Promise<Answer>,
  { signal, cancel }: { readonly signal: AbortSignal | undefined; readonly cancel: (answer: Answer) => Promise<boolean> },
): Promise<Answer> {
  const leaving = new Leaving(signal);
  const answer = await send(leaving.connection)
    .catch((error: unknown) => {
      throw leaving.isAsked ? leaving.reason : error;
    })
    .finally(() => leaving.close());
  if (leaving.isAsked && (await cancel(answer))) throw leaving.reason;
  return answer;
}

/** When a call is left, and when its connection is closed because of that: at once if the job is known. */
class Leaving {
  readonly #asked: AbortSignal | undefined;
  readonly #connection = new AbortController();
  #patience: ReturnType<typeof setTimeout> | undefined;
  #jobId: string | undefined;

  /** Throws the reason of a signal that has fired already: then nothing is sent. */
  constructor(asked: AbortSignal | undefined) {
    asked?.throwIfAborted();
    this.#asked = asked;
    asked?.addEventListener('abort', this.#onAsked, { once: true });
  }

  get connection(): AbortSignal | undefined {
    return this.#asked && this.#connection.signal;
  }

  get isAsked(): boolean {
    return this.#asked?.aborted === true;
  }

  get reason(): unknown {
    return this.#asked?.reason;
  }

  get jobId(): string | undefined {
    return this.#jobId;
  }

  learn(jobId: string | undefined): void {
    this.#jobId ??= jobId;
  }

  close(): void {
    clearTimeout(this.#patience);
    this.#asked?.removeEventListener('abort', this.#onAsked);
  }

  readonly #onAsked = (): void => {
    const close = (): void => this.#connection.abort(this.reason);
    if (this.#jobId !== undefined) close();
    else this.#patience = setTimeout(close, patienceMs);
  };
}

/** Who is told what happens to a call before its end. */
export type Listening = { readonly [Name in 'onProgress' | 'onRest']?: CallOptions[Name] | undefined };

/** What a call ends with. */
export async function lastEnvelope(events: AsyncGenerator<StreamEvent>, { onProgress, onRest }: Listening): Promise<Envelope> {
  for await (const { event, data } of events) {
    if (event === 'tool_progress') onProgress?.(data);
    if (event === 'tool_resting') onRest?.(data);
    if (event === 'tool_result' || event === 'tool_error') return data;
  }
  throw new Error('a stream ends with its result');
}

/** What a call ends with, or what it rests for, if that comes first. */
export async function envelopeOrRest(
  events: AsyncGenerator<StreamEvent>,
  { onProgress }: Pick<Listening, 'onProgress'>,
): Promise<Envelope | RestingCall> {
  for await (const { event, id, data } of events) {
    if (event === 'tool_progress') onProgress?.(data);
    if (event === 'tool_resting') return { job_id: jobOfEvent(id) ?? '', rest: data };
    if (event === 'tool_result' || event === 'tool_error') return data;
  }
  throw new Error('a stream ends with its result');
}

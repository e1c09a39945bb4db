import { z } from 'zod';
import { cutText, receivedMessages, workerLimits } from '#lib/contracts';
import type { Message } from './protocol.js';

/** An end that nobody has confirmed is sent again after this time, in ms. */
const againMs = 3_000;
const mostMessages = 100;
/** Of one request. The gateway takes 8 MiB. */
const mostBytes = 4 * 1024 * 1024;
/** Of one message: what the gateway takes, without what is around it. */
const mostMessageBytes = 8 * 1024 * 1024 - 64;

const refusal = z.object({ error: z.object({ message: z.string() }) });

interface SenderParts {
  /** Of the messages of this worker. */
  readonly url: string;
  readonly key: string;
  readonly heartbeatMs: number;
  /** The gateway does not know this attempt (any more). */
  readonly onUnknown: (attempt: string) => void;
  /** The gateway does not know this worker (any more). */
  readonly onGone: () => void;
}

/** A step that the gateway has not kept yet. */
interface Unkept {
  readonly text: string;
  readonly attempt: string;
  readonly kept: PromiseWithResolvers<void>;
  at: number;
}

interface Waiting {
  readonly text: string;
  readonly attempt: string | undefined;
  readonly sent: () => void;
}

/** Sends messages in their order, those of one moment together. The end of an attempt is sent until it is confirmed. */
export class Sender {
  readonly #parts: SenderParts;
  readonly #queue: Waiting[] = [];
  /** Ends that were sent and not confirmed. */
  readonly #unsettled = new Map<string, { readonly text: string; at: number }>();
  readonly #unkept = new Map<string, Unkept>();
  readonly #heartbeat: NodeJS.Timeout;
  #isSending = false;
  #isOver = false;

  constructor(parts: SenderParts) {
    this.#parts = parts;
    this.#heartbeat = setInterval(() => this.#beat(), Math.min(parts.heartbeatMs, againMs));
  }

  say(message: Message): void {
    void this.sent(message);
  }

  /** Resolves when the gateway has it. */
  async sent(message: Message): Promise<void> {
    return this.#push(textOf(message), message.attempt);
  }

  /** Sends a step, or asks for a token, until the gateway has answered. Under a name of its own within the attempt. Never resolves when its attempt is over before. */
  async keep(message: Message & { readonly attempt: string }, name: string): Promise<void> {
    const { attempt } = message;
    const one = { text: textOf(message), attempt, kept: Promise.withResolvers<void>(), at: performance.now() };
    this.#unkept.set(keyOf(attempt, name), one);
    void this.#push(one.text, attempt);
    return one.kept.promise;
  }

  /** The gateway has kept it. */
  kept(attempt: string, name: string): void {
    this.#unkept.get(keyOf(attempt, name))?.kept.resolve();
    this.#unkept.delete(keyOf(attempt, name));
  }

  /** An answer that cannot be sent is a failure of its tool. @returns why it cannot; null where it is sent */
  end(message: Message & { readonly attempt: string }): string | null {
    let text: string;
    try {
      text = textOf(message);
    } catch (error) {
      const why = cutText(String(error instanceof Error ? error.message : error), workerLimits.text);
      const cause = { type: 'AnswerRefused', message: why };
      this.end({ type: 'failed', attempt: message.attempt, failure: 'internal', retryable: false, cause });
      return why;
    }
    this.#drop(message.attempt);
    this.#unsettled.set(message.attempt, { text, at: performance.now() });
    void this.#push(text, message.attempt);
    return null;
  }

  settle(attempts: readonly string[]): void {
    for (const attempt of attempts) {
      this.#unsettled.delete(attempt);
      this.#drop(attempt);
    }
  }

  /** Steps of an attempt that is over. */
  #drop(attempt: string): void {
    for (const [key, one] of this.#unkept) if (one.attempt === attempt) this.#unkept.delete(key);
  }

  /** Waits until all ends are confirmed, or the worker is known no more. */
  async flush(): Promise<void> {
    while (!this.#isOver && (this.#unsettled.size > 0 || this.#queue.length > 0)) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  stop(): void {
    this.#isOver = true;
    clearInterval(this.#heartbeat);
    for (const { sent } of this.#queue.splice(0)) sent();
  }

  async #push(text: string, attempt: string | undefined): Promise<void> {
    if (this.#isOver) return;
    return new Promise((resolve) => {
      this.#queue.push({ text, attempt, sent: resolve });
      void this.#send();
    });
  }

  #beat(): void {
    const now = performance.now();
    const late = [...this.#unsettled].filter(([, { at }]) => now - at > againMs);
    for (const [attempt, one] of late) {
      one.at = now;
      void this.#push(one.text, attempt);
    }
    for (const one of this.#unkept.values()) {
      if (now - one.at <= againMs) continue;
      one.at = now;
      void this.#push(one.text, one.attempt);
    }
    void this.#send();
  }

  /** Sends what waits, and what comes meanwhile. A request without a message says that the worker is there. */
  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    do {
      // What came in this turn of the event loop goes together.
      await Promise.resolve();
      await this.#post(this.#batch());
    } while (this.#queue.length > 0 && !this.#isOver);
    this.#isSending = false;
  }

  #batch(): Waiting[] {
    let bytes = 0;
    const end = this.#queue.findIndex(({ text }, index) => index >= mostMessages || (bytes += text.length) > mostBytes);
    return this.#queue.splice(0, end < 0 ? this.#queue.length : Math.max(1, end));
  }

  /** Tries until the gateway answers. */
  async #post(batch: readonly Waiting[]): Promise<void> {
    const { url, key, onUnknown, onGone } = this.#parts;
    const body = `{"messages":[${batch.map(({ text }) => text).join(',')}]}`;
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    for (let failures = 0; !this.#isOver; failures++) {
      try {
        const response = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(10_000) });
        const text = await response.text();
        if (response.status === 404 || response.status === 401) return onGone();
        if (response.status === 400 || response.status === 413) await this.#replace(batch, text);
        else if (!response.ok) throw new Error(`the gateway answered ${response.status}`);
        else if (response.status === 200) {
          const { settled, unknown } = receivedMessages.parse(JSON.parse(text));
          this.settle([...settled, ...unknown]);
          for (const attempt of unknown) onUnknown(attempt);
        }
        break;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, Math.min(2_000, 50 * 2 ** failures)));
      }
    }
    for (const { sent } of batch) sent();
  }

  /** What the gateway does not take would be refused again: alone it is told as a failure, and in company once more, each by itself. */
  async #replace(batch: readonly Waiting[], why: string): Promise<void> {
    const [only, ...others] = batch;
    if (!only) return;
    if (others.length > 0) {
      for (const one of batch) await this.#post([one]);
      return;
    }
    const step = [...this.#unkept].find(([, { text }]) => text === only.text);
    if (step) {
      this.#unkept.delete(step[0]);
      return step[1].kept.reject(new RangeError(`the gateway does not take what the step gave: ${reasonIn(why)}`));
    }
    if (only.attempt === undefined || !this.#unsettled.has(only.attempt)) return;
    const message = `the gateway does not take the answer of the tool: ${reasonIn(why)}`;
    const cause = { type: 'AnswerRefused', message: cutText(message, workerLimits.text) };
    this.end({ type: 'failed', attempt: only.attempt, failure: 'internal', retryable: false, cause });
  }
}

function keyOf(attempt: string, name: string): string {
  return `${attempt} ${name}`;
}

/** Throws for what has no form in JSON, and for what the gateway would cut off while it is sent, again and again. */
function textOf(message: Message): string {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  if (bytes <= mostMessageBytes) return text;
  const [has, most] = [bytes, mostMessageBytes].map((one) => (one / 2 ** 20).toFixed(1));
  throw new RangeError(
    `the ${message.type === 'output' ? 'output' : 'answer'} of the tool has ${has} MiB, and at most ${most} MiB are sent`,
  );
}

/** The message of an answer of the gateway; the answer as it is where it has none. */
function reasonIn(answer: string): string {
  try {
    return refusal.parse(JSON.parse(answer)).error.message;
  } catch {
    return answer;
  }
}

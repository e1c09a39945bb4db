import type { WorkerMessage } from '#lib/contracts';
import type { EventStream } from '../http/event-stream.js';
import { RunningAttempt, type AttemptParts } from './running-attempt.js';
import type { GatewayEvent } from './messages.js';

interface WorkerConnectionParts {
  readonly id: string;
  readonly credentialId: string;
  readonly tenantId: string;
  /** Attempts that it runs at the same time. */
  readonly concurrency: number;
  readonly stream: EventStream;
  /** Called when the worker takes fewer or more attempts than before. */
  readonly onFree: () => void;
  /** Called when the worker says that it takes no more. */
  readonly onDrain: () => void;
}

/** What became of the messages of one request. */
export interface Received {
  /** Attempts whose end is taken: it need not be sent again. */
  readonly settled: readonly string[];
  /** Attempts that this worker does not have, or has no more: nothing about them is wanted. */
  readonly unknown: readonly string[];
}

/** One worker that is connected to this gateway: its stream of events, and the attempts that it runs. */
export class WorkerConnection {
  readonly #parts: WorkerConnectionParts;
  readonly #running = new Map<string, RunningAttempt>();
  #isDraining = false;
  #isOver = false;
  /** By a clock that nobody sets. */
  #heardAt = performance.now();

  constructor(parts: WorkerConnectionParts) {
    this.#parts = parts;
  }

  get id(): string {
    return this.#parts.id;
  }

  get credentialId(): string {
    return this.#parts.credentialId;
  }

  /** Attempts that it runs at the same time, as it says. */
  get concurrency(): number {
    return this.#parts.concurrency;
  }

  /** Attempts that it runs now. */
  get running(): number {
    return this.#running.size;
  }

  /** Attempts that it runs at the same time; none once it drains. */
  get size(): number {
    return this.#isDraining || this.#isOver ? 0 : this.#parts.concurrency;
  }

  get free(): number {
    return Math.max(0, this.size - this.#running.size);
  }

  /** For how long nothing was heard of it, in ms. */
  get silentMs(): number {
    return performance.now() - this.#heardAt;
  }

  /** Whether these are the worker's own credentials. */
  isOf({ credentialId, tenantId }: { readonly credentialId: string; readonly tenantId: string }): boolean {
    return credentialId === this.#parts.credentialId && tenantId === this.#parts.tenantId;
  }

  heard(): void {
    this.#heardAt = performance.now();
  }

  say(event: GatewayEvent, data: object): void {
    this.#parts.stream.sendFrames([{ event, data: JSON.stringify(data) }], 'worker');
  }

  /** Has an attempt run by the worker. Rejects with what the handler threw there, in the classes of our own handlers. */
  async run(parts: Omit<AttemptParts, 'say'>): Promise<unknown> {
    const attempt = new RunningAttempt({ ...parts, say: (event, data) => this.say(event, data) });
    this.#running.set(attempt.id, attempt);
    try {
      return await attempt.result();
    } finally {
      this.#running.delete(attempt.id);
      this.#parts.onFree();
    }
  }

  /** Takes messages of the worker, in their order. */
  async receive(messages: readonly WorkerMessage[]): Promise<Received> {
    this.heard();
    const [settled, unknown] = [new Set<string>(), new Set<string>()];
    for (const message of messages) {
      if (message.type === 'drain') {
        this.#isDraining = true;
        this.#parts.onFree();
        this.#parts.onDrain();
        continue;
      }
      const attempt = this.#running.get(message.attempt);
      if (message.type === 'log') attempt?.log(message);
      else if (!attempt) unknown.add(message.attempt);
      else if (await attempt.receive(message)) settled.add(message.attempt);
    }
    return { settled: [...settled], unknown: [...unknown] };
  }

  /** The connection is over. What ran there goes back to the queue. */
  lost(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    for (const attempt of this.#running.values()) attempt.lose();
    this.#parts.onFree();
  }

  /** Ends the stream; the worker connects again. */
  close(): void {
    this.#parts.stream.close();
    this.lost();
  }
}

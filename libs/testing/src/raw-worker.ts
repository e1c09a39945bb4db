// A worker that does what a test says, frame by frame, in the words of docs/worker-protocol.md.
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { z } from 'zod';

const attempt = z.looseObject({ attempt: z.string(), effect_key: z.string(), number: z.number(), input: z.unknown() });
const welcome = z.looseObject({ worker: z.string() });

/** More often than the gateway asks for. */
const heartbeatMs = 2_000;

export class RawWorker {
  readonly id: string;
  readonly #url: string;
  readonly #key: string;
  readonly #cut: AbortController;
  readonly #seen: { readonly event: string; readonly data: unknown }[] = [];
  #wake: () => void = () => undefined;
  #heartbeat: NodeJS.Timeout | undefined;
  isOver = false;

  private constructor(at: { url: string; key: string; id: string; cut: AbortController }) {
    this.#url = at.url;
    this.#key = at.key;
    this.id = at.id;
    this.#cut = at.cut;
  }

  /** Resolves once its tools may be called. */
  static async connect({
    url,
    key,
    tools,
    concurrency = 4,
    domain = 'sales',
  }: {
    url: string;
    key: string;
    tools: readonly unknown[];
    concurrency?: number;
    domain?: string;
  }): Promise<RawWorker> {
    const cut = new AbortController();
    const response = await fetch(`${url}/workers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ protocol: 1, domain, concurrency, tools }),
      signal: cut.signal,
    });
    if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
    const frames = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())[Symbol.asyncIterator]();
    const first = await frames.next();
    const worker = new RawWorker({ url, key, id: welcome.parse(JSON.parse(first.value?.data ?? '{}')).worker, cut });
    void worker.#read(frames);
    worker.#heartbeat = setInterval(() => void worker.send([]).catch(() => undefined), heartbeatMs).unref();
    await worker.next('tools');
    return worker;
  }

  /** The next event of this name that nobody has asked for. */
  async next(event: string): Promise<unknown> {
    for (;;) {
      const index = this.#seen.findIndex((frame) => frame.event === event);
      if (index >= 0) return this.#seen.splice(index, 1)[0]?.data;
      if (this.isOver) throw new Error(`the stream ended without ${event}`);
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async nextAttempt(): Promise<z.output<typeof attempt>> {
    return attempt.parse(await this.next('attempt'));
  }

  /** @param as another key or worker than its own */
  async send(
    messages: readonly object[],
    as: { readonly key?: string; readonly id?: string; readonly url?: string } = {},
  ): Promise<Response> {
    return fetch(`${as.url ?? this.#url}/workers/${as.id ?? this.id}/messages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${as.key ?? this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ messages }),
    });
  }

  /** As when a cable is pulled, with the other side told by TCP. */
  cut(): void {
    this.#cut.abort();
  }

  async #read(frames: AsyncIterator<{ readonly event?: string | undefined; readonly data: string }>): Promise<void> {
    try {
      for (let next = await frames.next(); !next.done; next = await frames.next()) {
        this.#seen.push({ event: next.value.event ?? '', data: JSON.parse(next.value.data) });
        this.#wake();
      }
    } catch {
      // Cut off.
    } finally {
      this.isOver = true;
      clearInterval(this.#heartbeat);
      this.#wake();
    }
  }
}

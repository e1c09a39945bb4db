import { step } from '#lib/command-line';
import { eventually, HttpCaller, type AppProcess, type System } from '#lib/testing';
import { cpuMsOf, rssMbOf } from '../system/usage.js';
import { EventSocket } from './event-socket.js';
import { start, type Stores } from './measurements.js';

const together = 50;
/** One heartbeat of each stream. */
const idleMs = 15_000;
const alone = 100;
const withinMs = 120_000;

/**
 * Open streams over two gateways: half of them follow a call of their own, half follow one call. Then a gateway is killed, its streams
 * resume at the other, and what they follow ends.
 */
export async function measureStreams(stores: Stores, count: number): Promise<readonly string[]> {
  await using system = await start(stores, { gateways: 2, workers: 0, places: 1 });
  // Each group has a credential of its own, so that one gateway lets all of it in.
  const [owners, followers] = await Promise.all([Group.start(system), Group.start(system)]);
  using _owners = owners;
  using _followers = followers;
  const half = Math.floor(count / 2);
  const shared = await followers.accept();
  const before = system.gateways.map(memory);
  const openMs = await step(`${count} streams`, () =>
    timed(async () => {
      await owners.open(half, async (host) => owners.resume(host, await owners.accept()));
      await followers.open(count - half, (host) => followers.resume(host, shared));
    }),
  );
  const perStreamKb = system.gateways.map((gateway, index) => Math.round(((memory(gateway) - (before[index] ?? 0)) * 1_024 * 2) / count));
  const idle = await step('idle streams', () => idleCost(system));
  const lines = [
    `${count} streams over 2 gateways: opened in ${seconds(openMs)} s, ${perStreamKb.join(' and ')} kB of memory a stream`,
    `  idle: ${idle}`,
  ];
  lines.push(`  one event to one reader: ${await owners.endSome(alone)}`);
  const [killed] = system.gateways;
  await killed?.kill();
  const lost = [...owners.lost(), ...followers.lost()].length;
  const resumeMs = await step(`${lost} streams resume`, () => timed(() => Promise.all([owners.move(), followers.move()])));
  lines.push(`  a gateway killed: its ${lost} streams resumed at the other in ${seconds(resumeMs)} s`);
  lines.push(`  one event to ${half} readers at one gateway: ${await followers.endShared(shared)}`);
  lines.push(`  one event to one reader, after the move: ${await owners.endSome(alone)}`);
  lines.push(`  events lost or told twice: ${owners.wrong() + followers.wrong()}`);
  return lines;
}

interface Reader {
  readonly gateway: number;
  readonly stream: EventSocket;
  /** Events that the streams before it have read. */
  readonly eventsBefore: number;
}

/** Streams of one credential. */
class Group implements Disposable {
  readonly #system: System;
  readonly #key: string;
  readonly #control: HttpCaller;
  readonly #ended: Reader[] = [];
  #readers: Reader[] = [];

  private constructor(system: System, { key, control }: { readonly key: string; readonly control: HttpCaller }) {
    this.#system = system;
    this.#key = key;
    this.#control = control;
  }

  static async start(system: System): Promise<Group> {
    const key = await system.tenant.key();
    return new Group(system, { key, control: new HttpCaller(system.gateways[1]?.url ?? '', key) });
  }

  /** A call that waits, without the deadline of one who waits for its answer: no worker would take it before. Gives its id. */
  async accept(): Promise<string> {
    const reply = await this.#control.post('/tools/slow_compute', { seconds: 1, label: '' }, { prefer: 'respond-async' });
    if (reply.status !== 202) throw new Error(reply.text);
    return reply.headers.get('location')?.split('/').at(-1) ?? '';
  }

  resume(url: string, jobId: string, lastEventId = ''): Promise<EventSocket> {
    const after = lastEventId ? [`last-event-id: ${lastEventId}`] : [];
    return EventSocket.open(url, this.#request(url, [`GET /jobs/${jobId}/events`, ...after]), lastEventId);
  }

  /** Opens so many, in turn at both gateways. */
  async open(count: number, open: (url: string) => Promise<EventSocket>): Promise<void> {
    await inTurn(count, async (index) => {
      const gateway = index % 2;
      const stream = await open(this.#system.gateways[gateway]?.url ?? '');
      this.#readers.push({ gateway, stream, eventsBefore: 0 });
    });
  }

  lost(): readonly Reader[] {
    return this.#readers.filter(({ gateway }) => gateway === 0);
  }

  /** What the first gateway had resumes at the second. */
  async move(): Promise<void> {
    const lost = this.lost();
    this.#readers = this.#readers.filter(({ gateway }) => gateway !== 0);
    await inTurn(lost.length, async (index) => {
      const old = lost[index];
      if (!old) return;
      using before = old.stream;
      const stream = await this.resume(this.#system.gateways[1]?.url ?? '', before.jobId, before.lastEventId);
      this.#readers.push({ gateway: 1, stream, eventsBefore: old.eventsBefore + before.events });
    });
  }

  /** Ends calls of their own one after the other: from the request that cancels one until its stream has told so. */
  async endSome(count: number): Promise<string> {
    const taken: number[] = [];
    // Those that have moved come last.
    for (const reader of this.#readers.splice(-count)) {
      const at = performance.now();
      await this.#cancel(reader.stream.jobId);
      taken.push(await ended(reader.stream, at));
      this.#ended.push(reader);
    }
    return told(taken);
  }

  /** Ends the call that all follow. */
  async endShared(jobId: string): Promise<string> {
    const at = performance.now();
    await this.#cancel(jobId);
    const taken: number[] = [];
    for (const { stream } of this.#readers) taken.push(await ended(stream, at));
    this.#ended.push(...this.#readers.splice(0));
    return told(taken);
  }

  /** Readers that have not read exactly the first and the last event, or, of a call that is open, the first. */
  wrong(): number {
    const isWrong = (expected: number) => (reader: Reader) => reader.eventsBefore + reader.stream.events !== expected;
    return this.#ended.filter(isWrong(2)).length + this.#readers.filter(isWrong(1)).length;
  }

  [Symbol.dispose](): void {
    for (const { stream } of [...this.#readers, ...this.#ended]) stream[Symbol.dispose]();
  }

  async #cancel(jobId: string): Promise<void> {
    const { status, text } = await this.#control.delete(`/jobs/${jobId}`);
    if (status !== 202) throw new Error(text);
  }

  #request(url: string, [first = '', ...lines]: readonly string[]): string {
    const common = [`host: ${new URL(url).host}`, `authorization: Bearer ${this.#key}`, 'accept: text/event-stream'];
    return [`${first} HTTP/1.1`, ...common, ...lines, '', ''].join('\r\n');
  }
}

/** What streams cost while nothing happens: heartbeats, and whatever else. */
async function idleCost(system: System): Promise<string> {
  const { redis } = system.redis;
  const commands = async () => Number(/^total_commands_processed:(\d+)/m.exec(await redis.info('stats'))?.[1]);
  const cpu = () => system.gateways.reduce((sum, { pid }) => sum + (cpuMsOf(pid ?? 0) ?? 0), 0);
  const [commandsBefore, cpuBefore] = [await commands(), cpu()];
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const [used, asked] = [cpu() - cpuBefore, (await commands()) - commandsBefore];
  const clients = /^connected_clients:(\d+)/m.exec(await redis.info('clients'))?.[1];
  return `both gateways use ${seconds((used * 60_000) / idleMs)} s of processor a minute, ${Math.round((asked * 1_000) / idleMs)} commands a second of Redis, ${clients} connections to it`;
}

function memory({ pid }: AppProcess): number {
  return rssMbOf(pid ?? 0) ?? 0;
}

/** From this time until the last event, in ms. */
async function ended(stream: EventSocket, at: number): Promise<number> {
  return (await eventually(() => stream.endedAt, { withinMs, what: 'the last event' })) - at;
}

async function inTurn(count: number, once: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await once(next++);
  };
  await Promise.all(Array.from({ length: together }, lane));
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const at = performance.now();
  await work();
  return performance.now() - at;
}

function told(taken: readonly number[]): string {
  const sorted = taken.toSorted((a, b) => a - b);
  const [p50, p95, all] = [0.5, 0.95, 1].map((share) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0));
  return `p50 ${p50} ms, p95 ${p95} ms, all ${all} ms`;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

// One run: cases in flight at once, each judged as it ends, and the processes all the time.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { formatSeconds, print } from '#lib/command-line';
import { caseOf } from './doors/index.js';
import { textAt } from './grammar/json.js';
import { judgeExchange } from './judge/judge-exchange.js';
import { ProcessWatch } from './judge/process-watch.js';
import type { Violation } from './judge/violation.js';
import type { FuzzOptions } from './options.js';
import type { Case, Step } from './requests/case.js';
import { readInventory, type Inventory } from './requests/inventory.js';
import { regressions } from './requests/regressions.js';
import { send, type Exchange } from './requests/send.js';
import { traceparentFor } from './requests/trace.js';
import { startFuzzSystem, type FuzzSystem } from './system.js';
import { Tally } from './tally.js';
import { warmUp } from './warm-up.js';

export interface FuzzRun {
  readonly options: FuzzOptions;
  readonly tally: Tally;
  readonly violations: readonly Violation[];
  readonly watches: readonly ProcessWatch[];
  /** Bytes that Redis used, a sample a second. */
  readonly redisBytes: readonly number[];
  /** After the load, when everything that ends within a day has ended. */
  readonly redisBytesAfter: number;
  /** Keys of Redis that would stay for ever. */
  readonly lastingKeys: readonly string[];
  /** How often upstreams answered in each wrong way. */
  readonly spoiled: ReadonlyMap<string, number>;
  readonly seconds: number;
  /** The case with which a next run goes on. */
  readonly next: number;
}

const progressMs = 5_000;
/** By then a worker has taken note of a connection that failed. */
const sharedMs = 1_000;
/** A tool of a server that the run itself has registered: its definition may be a spoiled one, which no good answer meets. */
const ofLaterServer = /"tool_name":"(?!wild__|tame__)[\w-]+__/;
const weekMs = 7 * 24 * 3_600_000;
/** A regression has no number of its own; these are above those of a run. */
const firstRegression = 2 ** 40;

export interface RunHooks {
  /** Ends the run early: cases in flight are finished, and the whole is judged. */
  readonly stop: AbortSignal;
  /** Called with each violation as it is found: a run may be killed. */
  readonly keep: (violation: Violation) => void;
}

export async function run(options: FuzzOptions, { stop, keep }: RunHooks): Promise<FuzzRun> {
  await using fuzz = await startFuzzSystem(options.seed);
  const { system } = fuzz;
  const adminKey = fuzz.names.get('admin') ?? '';
  const inventory = await readInventory(system.gateway.url, adminKey);
  print(`  ${inventory.operations.length} routes, ${inventory.tools.length} tools`);
  await warmUp(
    system.gateways.map(({ url }) => url),
    adminKey,
    inventory,
  );
  const watches = [...system.gateways, ...system.workers, ...system.more].map((app) => new ProcessWatch(app));
  const session = new Session(fuzz, inventory, { ...options, keep });
  for (const upstream of Object.values(fuzz.upstreams)) upstream.isHostile = true;
  const { redis } = system.redis;
  const redisBytes: number[] = [];
  const started = performance.now();
  {
    using timers = new DisposableStack();
    const every = (ms: number, work: () => void) => timers.adopt(setInterval(work, ms), clearInterval);
    every(1_000, () => {
      for (const watch of watches) watch.look();
      usedBytes(redis).then(
        (bytes) => redisBytes.push(bytes),
        () => undefined,
      );
    });
    every(progressMs, () => print(session.progress(performance.now() - started)));
    await session.sendAll(stop);
    // What was begun in the background may still write.
    await sleep(options.only === null ? 3_000 : 1_000);
  }
  for (const watch of watches) watch.look();
  const ofProcesses = watches.flatMap(({ faults }) => faults.map((fault) => ({ ...fault, number: null })));
  ofProcesses.forEach(keep);
  await system.clock.advance(weekMs);
  const lastingKeys = await redis.keys('*');
  const spoiled = new Map<string, number>();
  for (const { taken } of Object.values(fuzz.upstreams))
    for (const [way, count] of taken) spoiled.set(way, (spoiled.get(way) ?? 0) + count);
  return {
    options,
    tally: session.tally,
    violations: [...session.violations, ...ofProcesses],
    watches,
    redisBytes,
    redisBytesAfter: await usedBytes(redis),
    lastingKeys,
    spoiled,
    seconds: (performance.now() - started) / 1_000,
    next: session.next,
  };
}

async function usedBytes(redis: Redis): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

type SessionOptions = FuzzOptions & Pick<RunHooks, 'keep'>;

class Session {
  readonly tally = new Tally();
  readonly violations: Violation[] = [];
  next: number;
  readonly #fuzz: FuzzSystem;
  readonly #inventory: Inventory;
  readonly #options: SessionOptions;

  constructor(fuzz: FuzzSystem, inventory: Inventory, options: SessionOptions) {
    this.#fuzz = fuzz;
    this.#inventory = inventory;
    this.#options = options;
    this.next = options.from;
  }

  /** The regressions first, then the cases of the seed. */
  async sendAll(stop: AbortSignal): Promise<void> {
    const { seed, only, requests, seconds, atOnce } = this.#options;
    const queue = only === null ? regressions.map((one, index) => [firstRegression + index, one.sent] as const) : [];
    const until = seconds > 0 ? performance.now() + seconds * 1_000 : Number.POSITIVE_INFINITY;
    const nextCase = (): readonly [number: number, sent: Case] | null => {
      const regression = queue.shift();
      if (regression) return regression;
      if (only === null ? this.tally.requests >= requests || performance.now() > until || stop.aborted : this.next > only) return null;
      const number = this.next++;
      return [number, caseOf({ seed, number }, this.#inventory)];
    };
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let given = nextCase(); given; given = nextCase()) await this.#send(...given);
      }),
    );
  }

  progress(ms: number): string {
    const { requests, cases } = this.tally;
    return `  ${formatSeconds(ms)}: ${requests} requests of ${cases} cases, ${Math.round((requests * 1_000) / ms)}/s, next case ${this.next}, ${this.violations.length} violations`;
  }

  async #send(number: number, sent: Case): Promise<void> {
    const { system, upstreams } = this.#fuzz;
    const names = new Map(this.#fuzz.names);
    const url = (sent.limited ? system.gateways[1] : system.gateway)?.url ?? '';
    const traceparent = traceparentFor(this.#options.seed, number);
    for (const [index, step] of sent.steps.entries()) {
      const began = performance.now();
      const exchange = await send(step, { url, names, traceparent });
      this.tally.add(sent.door, exchange);
      if (this.#options.only !== null) show(step, exchange);
      for (const [name, field] of Object.entries(step.take ?? {})) {
        const value = textAt(bodyOf(exchange), field);
        if (value !== null) names.set(name, value);
      }
      const isSpoiled =
        exchange.replies.some(({ text }) => ofLaterServer.test(text)) ||
        Object.values(upstreams).some(
          ({ spoiledCases, spoiledForAllAt }) => spoiledCases.has(number) || spoiledForAllAt >= began - sharedMs,
        );
      for (const fault of judgeExchange(exchange, { step, isSpoiled })) {
        const violation = { ...fault, number, sent, step: index };
        this.violations.push(violation);
        this.#options.keep(violation);
      }
    }
    this.tally.cases += 1;
  }
}

function bodyOf({ replies: [reply] }: Exchange): unknown {
  try {
    return JSON.parse(reply?.text ?? '');
  } catch {
    return null;
  }
}

function show(step: Step, { replies, end, ms }: Exchange): void {
  print(`\n${JSON.stringify(step).slice(0, 4_000)}\n→ ${end} after ${formatSeconds(ms)}`);
  for (const { status, headers, text } of replies)
    print(`  ${status} ${JSON.stringify(Object.fromEntries(headers))}\n  ${text.slice(0, 4_000)}`);
}

// `npm run bench:doors`: the same call through each door, and MCP beside a bare server of the official SDK. Every answer is
// checked. Figures are medians over rounds in which the doors follow each other closely.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { print, runScript, step } from '#lib/command-line';
import { closedLoop, type Sample } from '../load/closed-loop.js';
import { ForkedProcess } from '../system/forked-process.js';
import { startSystem } from '../system/system.js';
import { cpuMsOf } from '../system/usage.js';
import { doors, isCached, type DoorName } from './doors.js';

const help = `Times the same call through every door, and MCP beside a bare server of its SDK.

  npm run bench:doors -- [--callers 16] [--rounds 3] [--doors json,mcp] [--quick]
`;

/** Whose processor time a call is counted. */
const costs = ['gateway', 'profile-worker', 'redis', 'postgres (PGlite)'] as const;

interface Measured extends Sample {
  /** Processor time a call in µs, by process. */
  readonly us: ReadonlyMap<string, number>;
}

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      doors: { type: 'string' },
      callers: { type: 'string', default: '16' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const callers = z.coerce.number().int().min(1).max(256).parse(values.callers);
  const rounds = values.quick ? 1 : z.coerce.number().int().min(1).max(20).parse(values.rounds);
  const measureMs = values.quick ? 1_000 : 2_500;

  await using owner = new AsyncDisposableStack();
  const { target, processes } = await step('Private stores and our processes', () => startSystem(owner));
  const bare = await ForkedProcess.start({ program: 'doors/peer-mcp.js' }, z.object({ url: z.string() }));
  owner.use(bare.process);
  const places = { ...target, bareMcpUrl: bare.facts.url };

  const samples = new Map<DoorName, Measured[]>();
  const all = Object.keys(doors).filter((name): name is DoorName => Object.hasOwn(doors, name));
  const names = values.doors === undefined ? all : all.filter((name) => values.doors?.split(',').includes(name));
  const measured = processes.filter(({ name }) => costs.some((cost) => cost === name));
  const run = async (name: DoorName, ms: number) => {
    const driver = await doors[name].open(places, callers);
    try {
      const before = measured.map(({ pid }) => cpuMsOf(pid) ?? Number.NaN);
      const sample = await closedLoop(driver.calls, ms);
      const us = measured.map(({ name: process, pid }, index): [string, number] => [
        process,
        (((cpuMsOf(pid) ?? Number.NaN) - (before[index] ?? Number.NaN)) / sample.calls) * 1_000,
      ]);
      return { ...sample, us: new Map(us) };
    } finally {
      await driver[Symbol.asyncDispose]();
    }
  };
  await step('Warm-up', async () => {
    for (const name of names) await run(name, values.quick ? 1_000 : 4_000);
  });
  for (let round = 1; round <= rounds; round++)
    await step(`Round ${round} of ${rounds}`, async () => {
      for (const name of names) samples.set(name, [...(samples.get(name) ?? []), await run(name, measureMs)]);
    });

  print(`Node ${process.version}, ${availableParallelism()} processors, ${callers} callers; the load shares them with what it measures.`);
  print(`${'door'.padEnd(46)}  calls/s   p50 ms   p99 ms  of JSON  ${costs.map((name) => name.padStart(15)).join('')}   µs, of JSON`);
  const of = (name: DoorName, figure: (sample: Measured) => number) => median((samples.get(name) ?? []).map(figure));
  const perSecond = (name: DoorName) => of(name, ({ calls, elapsedMs }) => (calls / elapsedMs) * 1_000);
  /** Medians over rounds of the figure of this door over that of JSON in the same round. */
  const share = (name: DoorName, figure: (sample: Measured) => number) => {
    const base = samples.get(isCached(name) ? 'cached' : 'json');
    const shares = (samples.get(name) ?? []).flatMap((sample, index) => {
      const beside = base?.[index];
      return beside ? [figure(sample) / figure(beside)] : [];
    });
    return median(shares).toFixed(2);
  };
  for (const name of names)
    print(
      doors[name].title.padEnd(46) +
        Math.round(perSecond(name)).toLocaleString('en').padStart(9) +
        of(name, ({ p50Ms }) => p50Ms)
          .toFixed(2)
          .padStart(9) +
        of(name, ({ p99Ms }) => p99Ms)
          .toFixed(2)
          .padStart(9) +
        share(name, ({ calls, elapsedMs }) => calls / elapsedMs).padStart(9) +
        '  ' +
        costs
          .map((cost) =>
            of(name, ({ us }) => us.get(cost) ?? Number.NaN)
              .toFixed(0)
              .padStart(15),
          )
          .join('') +
        share(name, ({ us }) => [...us.values()].reduce((sum, one) => sum + one, 0)).padStart(14),
    );
  for (const name of ['mcp', 'mcpCached'] as const)
    if (names.includes(name) && names.includes('bare'))
      print(`${doors[name].title}, beside the bare SDK server: ${(perSecond(name) / perSecond('bare')).toFixed(2)}`);
  const failures = [...samples].flatMap(([name, taken]) =>
    taken.filter(({ failures: count }) => count > 0).map(({ firstFailure }) => `${name}: ${firstFailure}`),
  );
  for (const failure of failures) print(`NOT VALID: ${failure}`);
  return failures.length === 0 ? 0 : 1;
}, help);

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

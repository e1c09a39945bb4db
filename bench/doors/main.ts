// `npm run bench:doors`: the same call through each door, and MCP beside a bare server of the official SDK. Every answer is
// checked. Figures are medians over rounds in which the doors follow each other closely.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { print, runScript, step } from '#lib/command-line';
import { closedLoop, type Sample } from '../load/closed-loop.js';
import { ForkedProcess } from '../system/forked-process.js';
import { startSystem } from '../system/system.js';
import { doors, type DoorName } from './doors.js';

const help = `Times the same call through every door, and MCP beside a bare server of its SDK.

  npm run bench:doors -- [--callers 16] [--rounds 3] [--quick]
`;

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      callers: { type: 'string', default: '16' },
      rounds: { type: 'string', default: '3' },
    },
  });
  const callers = z.coerce.number().int().min(1).max(256).parse(values.callers);
  const rounds = values.quick ? 1 : z.coerce.number().int().min(1).max(20).parse(values.rounds);
  const measureMs = values.quick ? 1_000 : 2_500;

  await using owner = new AsyncDisposableStack();
  const { target } = await step('Private stores and our processes', () => startSystem(owner));
  const bare = await ForkedProcess.start({ program: 'doors/peer-mcp.js' }, z.object({ url: z.string() }));
  owner.use(bare.process);
  const places = { ...target, bareMcpUrl: bare.facts.url };

  const samples = new Map<DoorName, Sample[]>();
  const names = Object.keys(doors).filter((name): name is DoorName => Object.hasOwn(doors, name));
  const run = async (name: DoorName, ms: number) => {
    const driver = await doors[name].open(places, callers);
    try {
      return await closedLoop(driver.calls, ms);
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
  print(`${'door'.padEnd(46)}  calls/s   p50 ms   p99 ms   of JSON`);
  const perSecond = (name: DoorName) => median((samples.get(name) ?? []).map(({ calls, elapsedMs }) => (calls / elapsedMs) * 1_000));
  for (const name of names) {
    const all = samples.get(name) ?? [];
    const share = median(all.map(({ calls, elapsedMs }, index) => calls / elapsedMs / perMs(samples.get('json')?.[index])));
    print(
      doors[name].title.padEnd(46) +
        Math.round(perSecond(name)).toLocaleString('en').padStart(9) +
        median(all.map(({ p50Ms }) => p50Ms))
          .toFixed(2)
          .padStart(9) +
        median(all.map(({ p99Ms }) => p99Ms))
          .toFixed(2)
          .padStart(9) +
        share.toFixed(2).padStart(10),
    );
  }
  print(
    `MCP, computed, beside the bare SDK server: ${(perSecond('mcp') / perSecond('bare')).toFixed(2)}; cached: ${(perSecond('mcpCached') / perSecond('bare')).toFixed(2)}`,
  );
  const failures = [...samples].flatMap(([name, all]) =>
    all.filter(({ failures: count }) => count > 0).map(({ firstFailure }) => `${name}: ${firstFailure}`),
  );
  for (const failure of failures) print(`NOT VALID: ${failure}`);
  return failures.length === 0 ? 0 : 1;
}, help);

function perMs(sample: Sample | undefined): number {
  return sample ? sample.calls / sample.elapsedMs : Number.NaN;
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

// `npm run bench:stripe [-- --seconds 6]`: the Stripe tools with an upstream that takes 50 ms, at 1, 2 and 4 worker processes.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { domains } from '#lib/contracts';
import { print, runScript, step } from '#lib/command-line';
import { closedLoop, type Sample } from '../load/closed-loop.js';
import { cpuMsOf } from '../system/usage.js';
import { openCallers } from './callers.js';
import { startStripeBench, type StripeBench } from './system.js';

/** Concurrency of one worker: low, so that the wait for Stripe is the limit and not the processors of one machine. */
const places = 4;
const workerCounts = [1, 2, 4];
const warmUpMs = 1_500;
const latencyMs = 50;

interface Row {
  readonly workers: number;
  readonly callers: number;
  readonly sample: Sample;
  /** Processors that each kept busy. */
  readonly cores: Readonly<Record<string, number>>;
}

const help = `The Stripe tools with an upstream that answers after ${latencyMs} ms, at ${workerCounts.join(', ')} worker processes.

  npm run bench:stripe -- [--seconds 6]    how long each row is measured
`;

await runScript(async () => {
  const { values } = parseArgs({ options: { seconds: { type: 'string', default: '6' } } });
  const ms = Number(values.seconds) * 1_000;
  const bound: Row[] = [];
  const wide: Row[] = [];
  for (const workers of workerCounts) {
    await using bench = await step(`${workers} worker${workers === 1 ? '' : 's'} with ${places} places`, () =>
      startStripeBench({ workers, places }),
    );
    bound.push(await measured(bench, { workers, callers: workers * places, ms }));
  }
  for (const workers of workerCounts) {
    await using bench = await step(
      `${workers} worker${workers === 1 ? '' : 's'} with the domain's own ${domains.stripe.concurrency} places`,
      () => startStripeBench({ workers, places: domains.stripe.concurrency }),
    );
    wide.push(await measured(bench, { workers, callers: 128, ms }));
  }
  print(`\nexpress_dashboard_login_link over HTTP, Stripe answers after ${latencyMs} ms, ${availableParallelism()} processors.\n`);
  print(
    `Bound by the wait (${places} places a worker, as many callers as places; at most ${places / (latencyMs / 1_000)} calls/s a worker):`,
  );
  printRows(bound);
  print(`\nBound by the processors (${domains.stripe.concurrency} places a worker, 128 callers):`);
  printRows(wide);
  const failed = [...bound, ...wide].reduce((sum, { sample }) => sum + sample.failures, 0);
  if (failed > 0) print(`NOT VALID: ${failed} calls failed`);
  return failed === 0 ? 0 : 1;
}, help);

async function measured(bench: StripeBench, { workers, callers, ms }: { workers: number; callers: number; ms: number }): Promise<Row> {
  bench.sandbox.latencyMs = latencyMs;
  using open = await openCallers(bench, callers);
  await closedLoop(open.calls, warmUpMs);
  const linksBefore = bench.sandbox.ledger.links.length;
  const before = cpuOf(bench);
  const sample = await closedLoop(open.calls, ms);
  const after = cpuOf(bench);
  const cores = Object.fromEntries(Object.entries(after).map(([name, cpuMs]) => [name, (cpuMs - (before[name] ?? 0)) / sample.elapsedMs]));
  // Each answer is a link of its own, or the figure means nothing.
  const links = bench.sandbox.ledger.links.length - linksBefore;
  if (links < sample.calls) throw new Error(`${sample.calls} answers and ${links} links`);
  return { workers, callers, sample, cores };
}

function cpuOf({ pids }: StripeBench): Readonly<Record<string, number>> {
  const own = Object.entries(pids).map(([name, ids]): [string, number] => [name, ids.reduce((sum, pid) => sum + (cpuMsOf(pid) ?? 0), 0)]);
  // This process is the callers and Stripe.
  return { ...Object.fromEntries(own), 'load and sandbox': cpuMsOf(process.pid) ?? 0 };
}

function printRows(rows: readonly Row[]): void {
  const [first] = rows;
  const one = first ? rate(first.sample) : 0;
  print('  workers  callers  calls/s   p50 ms   p99 ms   of one worker   processors kept busy');
  for (const { workers, callers, sample, cores } of rows)
    print(
      [
        String(workers).padStart(9),
        String(callers).padStart(9),
        rate(sample).toFixed(0).padStart(9),
        sample.p50Ms.toFixed(1).padStart(9),
        sample.p99Ms.toFixed(1).padStart(9),
        `${(rate(sample) / one).toFixed(2)}`.padStart(16),
        `   ${Object.entries(cores)
          .map(([name, busy]) => `${name} ${busy.toFixed(2)}`)
          .join(', ')}`,
      ].join(''),
    );
}

function rate({ calls, elapsedMs }: Sample): number {
  return calls / (elapsedMs / 1_000);
}

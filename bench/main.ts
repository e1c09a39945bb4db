// `npm run bench`: our call beside what it is made of. `--help` says how.
import { availableParallelism, cpus } from 'node:os';
import { listenForStop, print, runScript, step } from '#lib/command-line';
import { callCosts } from './guard/call-costs.js';
import { guard } from './guard/guard.js';
import { weigh } from './guard/weight.js';
import { Loads } from './load/load.js';
import { measureRound, warmUp } from './load/measure.js';
import { profileCall } from './profile/profile-call.js';
import type { BenchRun } from './report/bench-run.js';
import { Cells, type Measurement } from './report/cells.js';
import { faultsOf } from './report/faults.js';
import { writeFigures } from './report/figures-file.js';
import { reportLines } from './report/report-lines.js';
import { countedAttempts } from './system/attempts.js';
import { help, readOptions, type BenchOptions } from './system/options.js';
import { startSystem, type System } from './system/system.js';
import { rssMbOf } from './system/usage.js';

await runScript(async () => {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') return void process.stdout.write(help);
  const stopping = new AbortController();
  listenForStop({ onStop: () => stopping.abort(new Error('stopped')), onSecondStop: () => process.exit(130) });
  print(`Node ${process.version}, ${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'}), appendfsync ${options.fsync}`);
  try {
    return await runOf(options)(options, stopping.signal);
  } catch (error) {
    if (stopping.signal.aborted) return 130;
    throw error;
  }
});

type Run = (options: BenchOptions, signal: AbortSignal) => Promise<number>;

function runOf({ guard: areCallsGuarded, weight, profile }: BenchOptions): Run {
  if (areCallsGuarded) return guardCalls;
  if (weight) return guardWeight;
  return profile ? profileCall : bench;
}

function guardCalls(options: BenchOptions, signal: AbortSignal): Promise<number> {
  const hint = 'npm run bench -- --profile shows where.';
  return guard({ figuresFile: 'bench/guard/call-costs.json', measure: () => callCosts(options, signal), hint });
}

function guardWeight(_: BenchOptions, signal: AbortSignal): Promise<number> {
  const hint = 'Decisions 42, 98, 116 and 123 say what keeps it low.';
  return guard({ figuresFile: 'bench/guard/weight.json', measure: () => weigh(signal), hint });
}

async function bench(options: BenchOptions, signal: AbortSignal): Promise<number> {
  const run = await measure(options, signal);
  for (const line of reportLines(run)) print(line);
  const faults = faultsOf(run);
  for (const fault of faults) print(`NOT VALID: ${fault}`);
  if (options.jsonFile) writeFigures(options.jsonFile, run, faults);
  return faults.length === 0 ? 0 : 1;
}

async function measure(options: BenchOptions, signal: AbortSignal): Promise<BenchRun> {
  await using owner = new AsyncDisposableStack();
  const system = await step('Private stores, our processes and their peers', () =>
    startSystem(owner, { whole: options.whole, fsync: options.fsync }),
  );
  const parts = { system, options, loads: await Loads.start(system.target, owner) };
  const atRest = memoryOf(system);
  const warmUpRuns = await step('Warm-up', () => warmUp(parts, signal));
  const measurements: Measurement[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    measurements.push(...(await step(`Round ${round} of ${options.rounds}`, () => measureRound(parts, round, signal))));
  }
  return {
    cells: new Cells(measurements),
    concurrencies: options.concurrencies,
    processes: system.processes,
    memoryMb: { atRest, afterwards: memoryOf(system) },
    workerRuns: {
      counted: await countedAttempts(system.workerHealthUrl),
      answered: measurements.reduce((sum, one) => sum + one.workerRuns, warmUpRuns),
    },
  };
}

function memoryOf(system: System): Readonly<Record<string, number | null>> {
  return Object.fromEntries(system.processes.map(({ name, pid }) => [name, rssMbOf(pid)]));
}

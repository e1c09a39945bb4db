// `npm run bench`: our call beside what it is made of. `--help` says how.
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { resolve } from 'node:path';
import { runScript, say, step } from '../scripts/say.js';
import { listenForStop } from '../scripts/stop-signal.js';
import { Loads } from './load/load.js';
import { measureRound, warmUp } from './load/measure.js';
import { profileCall } from './profile/profile-call.js';
import { aimLines } from './report/aims.js';
import { Cells, type Measurement } from './report/cells.js';
import { faultsOf } from './report/faults.js';
import { cpuLine, tableOf } from './report/tables.js';
import { countedAttempts } from './system/attempts.js';
import { help, readOptions, type BenchOptions } from './system/options.js';
import { startSystem, type System } from './system/system.js';
import { rssMbOf } from './system/usage.js';

const disturbingCores = 0.1;

await runScript(async () => {
  const options = readOptions(process.argv.slice(2));
  if (options === 'help') return void process.stdout.write(help);
  const stopping = new AbortController();
  listenForStop({ onStop: () => stopping.abort(new Error('stopped')), onHurry: () => process.exit(130) });
  say(`Node ${process.version}, ${availableParallelism()} processors (${cpus()[0]?.model ?? 'unknown'})`);
  try {
    return await (options.profile ? profileCall(options) : bench(options, stopping.signal));
  } catch (error) {
    if (stopping.signal.aborted) return 130;
    throw error;
  }
});

async function bench(options: BenchOptions, signal: AbortSignal): Promise<number> {
  await using owner = new AsyncDisposableStack();
  const system = await step('Private stores, our processes and their peers', () => startSystem(owner));
  const parts = { system, options, loads: await Loads.start(system.target, owner) };
  const atRest = memoryOf(system);

  let runs = await step('Warm-up', () => warmUp(parts, signal));
  const measurements: Measurement[] = [];
  for (let round = 1; round <= options.rounds; round++) {
    measurements.push(...(await step(`Round ${round} of ${options.rounds}`, () => measureRound(parts, round, signal))));
  }

  const cells = new Cells(measurements);
  for (const concurrency of options.concurrencies) say(`\n${tableOf(cells, concurrency)}`);
  say('');
  for (const concurrency of options.concurrencies) say(cpuLine(cells, 'uncached', concurrency));
  say(`\nEach computed call has a weight of its own, so it misses the cache, runs on the worker and is kept.
Ours has one process more than plain BullMQ (load, gateway, worker, Redis); all share ${availableParallelism()} processors.${disturbance(cells)}\n`);
  const memory = memoryOf(system);
  for (const { name, startMs } of system.processes) {
    const started = startMs === null ? '' : `ready after ${startMs.toFixed(0)} ms`;
    say(`${name.padEnd(20)}${started.padEnd(22)}${megabytes(atRest[name])} at rest, ${megabytes(memory[name])} after the run`);
  }
  say('');
  for (const line of aimLines(cells)) say(line);

  runs += measurements.reduce((sum, one) => sum + one.workerRuns, 0);
  const faults = faultsOf(measurements, { counted: await countedAttempts(system.workerHealthUrl), answered: runs });
  for (const fault of faults) say(`NOT VALID: ${fault}`);
  if (options.jsonFile) {
    const file = resolve(process.env['INIT_CWD'] || process.cwd(), options.jsonFile);
    const machine = {
      node: process.version,
      processors: availableParallelism(),
      model: cpus()[0]?.model ?? null,
      othersCores: cells.othersCores,
    };
    writeFileSync(
      file,
      `${JSON.stringify({ machine, processes: system.processes, memoryMb: { atRest, afterwards: memory }, measurements, aims: aimLines(cells), faults }, null, 2)}\n`,
    );
  }
  return faults.length === 0 ? 0 : 1;
}

/** Ratios survive company, since their parts are measured close together; the plain figures do not. */
function disturbance({ othersCores }: Cells): string {
  return othersCores === null
    ? ''
    : `\nOther programs kept ${othersCores.toFixed(2)} of them busy meanwhile${othersCores > disturbingCores ? ': the figures are lower than the machine can do' : ''}.`;
}

function memoryOf(system: System): Record<string, number | null> {
  return Object.fromEntries(system.processes.map(({ name, pid }) => [name, rssMbOf(pid)]));
}

function megabytes(mb: number | null | undefined): string {
  return typeof mb === 'number' ? `${mb.toFixed(0).padStart(4)} MB` : '   ? MB';
}

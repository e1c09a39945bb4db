import type { Measurement } from '../report/cells.js';
import type { System } from '../system/system.js';
import { cpuMsOf, machineCpuMs } from '../system/usage.js';
import type { Loads } from './load.js';
import { subjectNames, type SubjectName } from './subjects.js';
import type { BenchOptions } from '../system/options.js';

interface Bench {
  readonly system: System;
  readonly loads: Loads;
  readonly options: BenchOptions;
}

interface Cell {
  readonly round: number;
  readonly subject: SubjectName;
  readonly concurrency: number;
}

const warmUpCallers = 64;
const warmUpStepMs = 1_000;

/**
 * Lets every process call its hot code so often that it is compiled: until then a call costs several times as much.
 * @returns the calls that our worker ran
 */
export async function warmUp(
  { loads, options }: Bench,
  signal: AbortSignal,
  subjects: readonly SubjectName[] = subjectNames,
): Promise<number> {
  let runs = 0;
  for (const subject of subjects) {
    let calls = 0;
    for (const start = performance.now(); calls < options.firstWarmUp.calls && performance.now() - start < options.firstWarmUp.ms;) {
      signal.throwIfAborted();
      calls += (await loads.ask(subject, { kind: 'warm-up', callers: warmUpCallers, ms: warmUpStepMs })).calls;
    }
    runs += (await loads.ask(subject, { kind: 'measure', ms: 1 })).workerRuns;
  }
  return runs;
}

/** Measures every cell once. The subjects of one concurrency follow each other closely, so that disturbances hit all of them. */
export async function measureRound(bench: Bench, round: number, signal: AbortSignal): Promise<readonly Measurement[]> {
  const measurements: Measurement[] = [];
  for (const concurrency of bench.options.concurrencies) {
    for (const subject of subjectNames) {
      signal.throwIfAborted();
      measurements.push(await measureCell(bench, { round, subject, concurrency }));
    }
  }
  return measurements;
}

/** @param onMeasure is called between the warm-up and the measurement */
export async function measureCell({ system, loads, options }: Bench, cell: Cell, onMeasure?: () => Promise<void>): Promise<Measurement> {
  const { subject, concurrency } = cell;
  const processes = [...system.processes, { name: 'load', pid: loads.pidOf(subject) }];
  const warm = await loads.ask(subject, { kind: 'warm-up', callers: concurrency, ms: options.warmUpMs });
  await onMeasure?.();
  const before = processes.map(({ pid }) => cpuMsOf(pid));
  const busyBefore = machineCpuMs();
  const sample = await loads.ask(subject, { kind: 'measure', ms: options.measureMs });
  const busyMs = machineCpuMs() - busyBefore;
  const cpu = processes.flatMap(({ name, pid }, index) => {
    const now = cpuMsOf(pid);
    const then = before[index] ?? null;
    return now === null || then === null ? [] : [{ name, ms: now - then }];
  });
  const ownMs = cpu.reduce((sum, { ms }) => sum + ms, 0);
  const { elapsedMs, ...figures } = sample;
  const failed = { failures: warm.failures + sample.failures, firstFailure: warm.firstFailure ?? sample.firstFailure };
  return {
    ...cell,
    ...figures,
    ...failed,
    perSecond: (sample.calls / elapsedMs) * 1_000,
    cpuMsPerCall: Object.fromEntries(cpu.map(({ name, ms }) => [name, ms / sample.calls])),
    othersCores: cpu.length === 0 ? null : Math.max(0, busyMs - ownMs) / elapsedMs,
  };
}

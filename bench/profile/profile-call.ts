// `npm run bench -- --profile`: a computed call, a cached one and one by MCP under load, taken apart. Processor time a call by process, what Redis was asked
// to do, and self time by package and function in gateway and worker.
import { mkdtempDisposableSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { print, step } from '#lib/command-line';
import { Loads } from '../load/load.js';
import { measureCell, warmUp } from '../load/measure.js';
import { subjects } from '../load/subjects.js';
import { Cells, type Measurement } from '../report/cells.js';
import { cpuLine } from '../report/tables.js';
import type { BenchOptions } from '../system/options.js';
import { startSystem } from '../system/system.js';
import { readProfile, selfTimes, type CpuProfile } from './cpu-profile.js';
import { commandCounts, commandLines, scriptTimes } from './redis-commands.js';

const measureMs = 8_000;
const samplingUs = 250;
const shownPlaces = 40;

const profiled = ['uncached', 'cached', 'mcp'] as const;

interface Span {
  readonly subject: (typeof profiled)[number];
  readonly concurrency: number;
  readonly fromUs: number;
  readonly toUs: number;
  readonly measured: Measurement;
  /** What Redis did a call. */
  readonly commands: readonly string[];
  /** How long its scripts held it. */
  readonly scripts: string;
}

export async function profileCall(options: BenchOptions, signal: AbortSignal): Promise<number> {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'invoq-profile-'));
  const spans = await measureSpans(options, dir.path, signal);
  // Written when the processes ended.
  const profiles = readdirSync(dir.path).map((file) => readProfile(readFileSync(join(dir.path, file), 'utf8'), file));
  for (const span of spans) {
    const { subject, concurrency, measured } = span;
    print(`\n${Math.round(measured.perSecond)} calls/s; ${cpuLine(new Cells([measured]), subject, concurrency)}`);
    print('\nRedis a call (what a script does inside is counted by itself too):');
    for (const line of span.commands) print(line);
    print(span.scripts);
    for (const profile of profiles) for (const line of profileLines(profile, span)) print(line);
  }
  return spans.some(({ measured }) => measured.failures > 0) ? 1 : 0;
}

async function measureSpans(options: BenchOptions, profileDir: string, signal: AbortSignal): Promise<readonly Span[]> {
  await using owner = new AsyncDisposableStack();
  const system = await step('Private stores, our processes and their peers', () =>
    startSystem(owner, { nodeOptions: (name) => profileOptions(name, profileDir), fsync: options.fsync }),
  );
  const bench = { system, loads: await Loads.start(system.target, owner), options: { ...options, measureMs } };
  const redis = owner.adopt(new Redis(system.target.redisUrl), (client) => client.disconnect());
  await step('Warm-up', () => warmUp(bench, signal, profiled));
  const spans: Span[] = [];
  for (const concurrency of options.concurrencies) {
    for (const subject of profiled) {
      signal.throwIfAborted();
      let fromUs = 0;
      let before = await commandCounts(redis);
      const onMeasure = async (): Promise<void> => {
        await redis.config('RESETSTAT');
        before = await commandCounts(redis);
        fromUs = monotonicUs();
      };
      const cell = { round: 1, subject, concurrency };
      const measured = await step(`${concurrency} callers, ${subjects[subject].title}`, () => measureCell(bench, cell, onMeasure));
      const toUs = monotonicUs();
      spans.push({
        subject,
        concurrency,
        fromUs,
        toUs,
        measured,
        scripts: await scriptTimes(redis),
        commands: commandLines(before, await commandCounts(redis), measured.calls),
      });
    }
  }
  return spans;
}

function profileLines(profile: CpuProfile, span: Span): readonly string[] {
  const { packages, functions } = selfTimes(profile, span);
  const listed = [
    { title: 'package', places: packages },
    { title: 'function', places: functions },
  ];
  return listed.flatMap(({ title, places }) => [
    `\n${profile.name}, ${subjects[span.subject].title}, ${span.concurrency} callers, self µs a call by ${title}:`,
    ...places.slice(0, shownPlaces).map(({ place, us }) => `${(us / span.measured.calls).toFixed(1).padStart(8)}  ${place}`),
  ]);
}

function profileOptions(name: string, dir: string): readonly string[] {
  return ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${name}`, `--cpu-prof-interval=${samplingUs}`];
}

/** The clock that V8 writes into its profiles (on Linux and macOS). */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

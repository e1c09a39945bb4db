// `npm run bench -- --profile`: a computed call under load, taken apart. Self time by package and file in gateway and worker,
// processor time a call by process, and what Redis was asked to do.
import { mkdtempDisposableSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { ProcessSpec } from '../../scripts/managed-process.js';
import { say, step } from '../../scripts/say.js';
import { Loads } from '../load/load.js';
import { measureCell } from '../load/measure.js';
import { Cells, type Measurement } from '../report/cells.js';
import { cpuLine } from '../report/tables.js';
import type { BenchOptions } from '../system/options.js';
import { startSystem } from '../system/system.js';
import { readProfile, selfTimes } from './cpu-profile.js';
import { commandCounts, commandLines } from './redis-commands.js';

const warmUpMs = 3_000;
const profileMs = 8_000;
const samplingUs = 250;
const shownPlaces = 40;

export async function profileCall(options: BenchOptions): Promise<number> {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'invoq-profile-'));
  const spans: { readonly concurrency: number; readonly from: number; readonly to: number; readonly measured: Measurement }[] = [];
  {
    await using owner = new AsyncDisposableStack();
    const system = await step('Private stores, our processes and their peers', () =>
      startSystem(owner, (spec) => withProfile(spec, dir.path)),
    );
    const loads = await Loads.start(system.target, owner);
    const redis = owner.adopt(new Redis(system.target.redisUrl), (client) => client.disconnect());
    for (const concurrency of options.concurrencies) {
      const bench = { system, loads, options: { ...options, warmUpMs, measureMs: profileMs } };
      let from = 0;
      let before = await commandCounts(redis);
      const onMeasure = async (): Promise<void> => {
        before = await commandCounts(redis);
        from = monotonicUs();
      };
      const measured = await step(`${concurrency} callers`, () =>
        measureCell(bench, { round: 1, subject: 'uncached', concurrency }, onMeasure),
      );
      spans.push({ concurrency, from, to: monotonicUs(), measured });
      const after = await commandCounts(redis);
      say(`\nRedis, ${concurrency} callers, a call (scripts count the commands inside them too):`);
      for (const line of commandLines(before, after, measured.calls)) say(line);
    }
  }
  const profiles = readdirSync(dir.path).map((file) => readProfile(readFileSync(join(dir.path, file), 'utf8'), file));
  for (const { concurrency, from, to, measured } of spans) {
    say(
      `\n${Math.round(measured.perSecond)} calls/s, ${measured.failures} failures. ${cpuLine(new Cells([measured]), 'uncached', concurrency)}`,
    );
    for (const profile of profiles) {
      const times = selfTimes(profile, { from, to });
      for (const [title, list] of [
        ['package', times.packages],
        ['function', times.functions],
      ] as const) {
        say(`\n${profile.name}, ${concurrency} callers, self µs a call by ${title}:`);
        for (const { place, us } of list.slice(0, shownPlaces)) say(`${(us / measured.calls).toFixed(1).padStart(8)}  ${place}`);
      }
    }
  }
  return spans.some(({ measured }) => measured.failures > 0) ? 1 : 0;
}

function withProfile(spec: ProcessSpec, dir: string): ProcessSpec {
  return {
    ...spec,
    args: ['--cpu-prof', `--cpu-prof-dir=${dir}`, `--cpu-prof-name=${spec.name}`, `--cpu-prof-interval=${samplingUs}`, ...spec.args],
  };
}

/** The clock that V8 writes into its profiles (on Linux and macOS). */
function monotonicUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

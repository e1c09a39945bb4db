// One run: a lab, steady load, fault after fault, a drain, an audit. Gives the history for the checker.
import { setTimeout as sleep } from 'node:timers/promises';
import { formatSeconds, print } from '#lib/command-line';
import { eventually } from '#lib/testing';
import { audit } from './audit.js';
import { DeathWatch } from './death-watch.js';
import type { Fault, Scene } from './faults/fault.js';
import type { FaultRecord, History } from './history/history.js';
import { startLab, type Lab } from './lab.js';
import { Client } from './load/client.js';
import { Load } from './load/load.js';
import { Meter } from './load/meter.js';
import type { ChaosOptions } from './options.js';
import { Random } from './random.js';
import { repair } from './repair.js';

const clients = 32;
/** Until the load is steady. */
const warmUpMs = 3_000;
const baselineMs = 3_000;
const recoverWithinMs = 30_000;
const drainMs = 60_000;

interface LabUse {
  /** Called when the lab is running: from now on it must be cleaned up. */
  readonly onStarted: (lab: Lab) => void;
  /** Called before the lab is removed. */
  readonly onEnd: (lab: Lab) => void;
}

export async function run({ seed, seconds: forSeconds, faults }: ChaosOptions, { onStarted, onEnd }: LabUse): Promise<History> {
  const random = new Random(seed);
  await using lab = await startLab();
  onStarted(lab);
  const meter = new Meter();
  const client = new Client({ urls: lab.system.gateways.map(({ url }) => url), apiKey: lab.apiKey });
  const load = new Load({ client, random: random.fork('load'), meter });
  const watch = new DeathWatch(lab.apps);
  const records: FaultRecord[] = [];
  const started = performance.now();
  load.start(clients);
  await sleep(warmUpMs);
  for (let round = 1; round === 1 || performance.now() - started < forSeconds * 1_000; round++) {
    for (const fault of random.fork(`round-${round}`).shuffled(faults)) {
      const scene = { lab, load, client, random: random.fork(`${round}-${fault.id}`) };
      records.push(await injectFault(fault, scene, meter));
      watch.look();
    }
  }
  const drainFrom = performance.now();
  await load.stop();
  const audits = await audit(load.calls, { client, random: random.fork('audit'), forMs: drainMs });
  watch.look();
  print(`  drained and audited ${audits.length} jobs  ${formatSeconds(performance.now() - drainFrom)}`);
  onEnd(lab);
  return { seed, calls: load.calls.map((log) => log.record()), audits, upstream: lab.ledger.all(), faults: records, deaths: watch.deaths };
}

/** Steady load → the fault → steady load again. */
async function injectFault({ id, title, inject }: Fault, scene: Scene, meter: Meter): Promise<FaultRecord> {
  await sleep(baselineMs);
  const began = Date.now();
  const baseline = meter.rate(began - baselineMs, began);
  const { error, ...injected } = await inject(scene).then(
    (done) => ({ ...done, error: null }),
    async (reason: unknown) => {
      await repair(scene.lab);
      return { injectedAt: began, healedAt: Date.now(), hit: 0, error: reason instanceof Error ? reason.message : String(reason) };
    },
  );
  const { injectedAt, healedAt, hit } = injected;
  let recoveryMs: number | null = null;
  const isBack = (): boolean => {
    recoveryMs = meter.recovery({ healedAt, baseline, now: Date.now() });
    return recoveryMs !== null;
  };
  await eventually(isBack, { withinMs: recoverWithinMs, what: 'recovery' }).catch(() => undefined);
  await eventually(() => scene.load.areBurstsOver, { withinMs: recoverWithinMs, what: 'the end of the burst' }).catch(() => undefined);
  const back = recoveryMs === null ? 'NOT recovered' : `recovered in ${formatSeconds(recoveryMs)}`;
  const struck = error ?? `hit ${hit}, lasted ${formatSeconds(healedAt - injectedAt)}`;
  print(`  ${id.padEnd(7)} ${title}: ${struck}, ${back} (${Math.round(baseline)} calls/s before)`);
  return { id, title, injectedAt, healedAt, hit, recoveryMs, error };
}

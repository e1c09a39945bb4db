// One run: a lab, steady load, fault after fault, a drain, an audit. Gives the history for the checker.
import { setTimeout as sleep } from 'node:timers/promises';
import { formatSeconds, print } from '#lib/command-line';
import { eventually } from '#lib/testing';
import { audit } from './audit.js';
import { DeathWatch } from './death-watch.js';
import type { Fault, Injected, Scene } from './faults/fault.js';
import type { FaultRecord, History } from './history/history.js';
import { startLab, type Lab, type LabOptions } from './lab.js';
import { Client } from './load/client.js';
import { Load } from './load/load.js';
import { Meter } from './load/meter.js';
import { withHistory } from './past-calls.js';
import type { Random } from './random.js';
import { repair } from './repair.js';

const clients = 32;
/** Until the load is steady. */
const warmUpMs = 3_000;
const baselineMs = 3_000;
const recoverWithinMs = 30_000;
const drainMs = 60_000;

interface RunOptions {
  readonly random: Random;
  /** In this order. */
  readonly faults: readonly Fault[];
  readonly lab?: LabOptions | undefined;
  /** Whether every call is ended by a version that keeps a history. Default true. */
  readonly hasHistory?: boolean;
  /** Called when the lab is running: from now on it must be cleaned up. */
  readonly onStarted: (lab: Lab) => void;
  /** Called before the lab is removed. */
  readonly onEnd: (lab: Lab) => void;
}

export async function run({ random, faults, lab: labOptions, hasHistory = true, onStarted, onEnd }: RunOptions): Promise<History> {
  await using lab = await startLab(labOptions);
  onStarted(lab);
  const meter = new Meter();
  const client = new Client({ urls: lab.system.gateways.map(({ url }) => url), apiKeys: lab.apiKeys });
  const load = new Load({ client, random: random.fork('load'), meter });
  const watch = new DeathWatch(lab.apps);
  const records: FaultRecord[] = [];
  load.start(clients);
  await sleep(warmUpMs);
  for (const fault of faults) {
    const scene = { lab, load, client, random: random.fork(fault.id) };
    records.push(await injectFault(fault, scene, meter));
    watch.look();
  }
  const drainFrom = performance.now();
  await load.stop();
  const seen = await audit(load.calls, { client, random: random.fork('audit'), forMs: drainMs });
  const [first] = lab.system.gateways;
  const audits = first && hasHistory ? await withHistory(seen, { url: first.url, apiKeys: lab.apiKeys, forMs: drainMs }) : seen;
  watch.look();
  print(`  drained and audited ${audits.length} jobs  ${formatSeconds(performance.now() - drainFrom)}`);
  onEnd(lab);
  return { calls: load.calls.map((log) => log.record()), audits, upstream: lab.ledger.all(), faults: records, deaths: watch.deaths };
}

/** What is left of a run that could not be made: each of its faults has failed. */
export function brokenRun(faults: readonly Fault[], reason: unknown): History {
  const at = Date.now();
  const nothing = { injectedAt: at, healedAt: at, hit: 0, recoveryMs: null, mayFail: [], loss: null, findings: [] };
  const error = `the run broke off: ${messageOf(reason)}`;
  return { calls: [], audits: [], upstream: [], deaths: [], faults: faults.map(({ id, title }) => ({ ...nothing, id, title, error })) };
}

function messageOf(reason: unknown): string {
  return reason instanceof Error ? reason.message : String(reason);
}

/** Steady load → the fault → steady load again. */
async function injectFault({ id, title, inject, mayFail = [] }: Fault, scene: Scene, meter: Meter): Promise<FaultRecord> {
  await sleep(baselineMs);
  const began = Date.now();
  const baseline = meter.rate(began - baselineMs, began);
  let error: string | null = null;
  const injected = await inject(scene).catch(async (reason: unknown): Promise<Injected> => {
    error = messageOf(reason);
    await repair(scene.lab).catch((failure: unknown) => (error += `; and then ${messageOf(failure)}`));
    return { injectedAt: began, healedAt: Date.now(), hit: 0 };
  });
  const { injectedAt, healedAt, hit, loss = null, findings = [] } = injected;
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
  for (const finding of findings) print(`          ${finding}`);
  return { id, title, injectedAt, healedAt, hit, recoveryMs, error, mayFail, loss, findings };
}

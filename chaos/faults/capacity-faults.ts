// F28, F29, F33: more is asked for than there is: of a user's day, of the queue, of a process's file descriptors.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, HttpCaller } from '#lib/testing';
import { freeQuota } from '../lab.js';
import { effect } from '../load/plans.js';
import type { Fault, Injected, Scene } from './fault.js';
import { outage, slowDown } from './in-flight.js';
import { untilRunning } from './running.js';

export const capacityFaults: readonly Fault[] = [
  { id: 'F28', title: '500 calls at once of a user who may make ten', inject: quotaRace },
  { id: 'F29', title: 'backlog: workers paused, until calls are refused', inject: backlog, mayFail: ['calc', 'lookup'] },
  { id: 'F33', title: 'a gateway without free file descriptors for 6 s', inject: fewDescriptors, obstacle: noPrlimit },
];

const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const racing = 500;
const noAnswer = 0;

async function quotaRace(scene: Scene): Promise<Injected> {
  const { tenant, gateways } = scene.lab.system;
  const userId = `free-${scene.random.integer(0, 1e9)}`;
  await tenant.addUser(userId, 'free');
  const key = await tenant.key({ userId, tier: 'free' });
  const callers = gateways.map(({ url }) => new HttpCaller(url, key));
  let statuses: readonly number[] = [];
  const injected = await outage(scene, 2_000, async () => {
    const call = async (number: number): Promise<number> => {
      const input = { ...body, height_cm: 150 + (number % 90) };
      const reply = await callers[number % callers.length]?.post('/tools/calc_metrics?enable_cache=false', input).catch(() => null);
      return reply?.status ?? noAnswer;
    };
    statuses = await Promise.all(Array.from({ length: racing }, (_, number) => call(number)));
  });
  const count = (wanted: (status: number) => boolean) => statuses.filter(wanted).length;
  const accepted = count((status) => status === 200);
  // A busy machine cannot take all connections at once, and a call without a clear answer may have been counted.
  const unclear = count((status) => status === noAnswer || status >= 500);
  const refused = count((status) => status === 429);
  const isRight = accepted <= freeQuota && accepted + unclear >= freeQuota && accepted + unclear + refused === racing;
  const findings = isRight ? [] : [`of ${racing} calls ${accepted} were accepted, ${refused} refused, and ${unclear} had no clear answer`];
  return { ...injected, findings };
}

const callersAtOnce = 50;
const refusedWithinMs = 250;
const filledWithinMs = 60_000;
const overload = /"code":"(RATE_LIMITED|OVERLOADED)"/;
const drainedWithinMs = 60_000;

/** Calls of a tenant of their own until it is refused; then everything that was let in must end. */
async function backlog(scene: Scene): Promise<Injected> {
  const { system } = scene.lab;
  const key = await system.tenant.key({ tier: 'vip' });
  const callers = system.gateways.map(({ url }) => new HttpCaller(url, key));
  const jobIds: string[] = [];
  const acceptedInMs: number[] = [];
  const refusals: { readonly status: number; readonly ms: number; readonly hasHint: boolean }[] = [];
  const call = async (number: number): Promise<void> => {
    const at = performance.now();
    const reply = await callers[number % callers.length]
      ?.post('/tools/calc_metrics?enable_cache=false', body, { prefer: 'respond-async' })
      .catch(() => null);
    const jobId = reply?.status === 202 ? /"job_id":"([^"]+)"/.exec(reply.text)?.[1] : undefined;
    if (jobId !== undefined) {
      jobIds.push(jobId);
      acceptedInMs.push(performance.now() - at);
    }
    // A busy machine may have no clear answer from Redis in time.
    else if (reply && overload.test(reply.text))
      refusals.push({ status: reply.status, ms: performance.now() - at, hasHint: reply.headers.has('retry-after') });
  };
  const injected = await outage(scene, 10_000, async () => {
    for (const worker of system.workers) worker.signal('SIGSTOP');
    const until = performance.now() + filledWithinMs;
    while (refusals.length < callersAtOnce && performance.now() < until)
      await Promise.all(Array.from({ length: callersAtOnce }, (_, number) => call(number)));
    for (const worker of system.workers) worker.signal('SIGCONT');
  });
  const findings: string[] = [];
  if (refusals.length === 0) findings.push(`nothing was refused after ${jobIds.length} calls`);
  const wrong = refusals.filter(({ status, hasHint }) => (status !== 429 && status !== 503) || !hasHint);
  if (wrong.length > 0) findings.push(`${wrong.length} refusals were not 429 or 503 with Retry-After: ${JSON.stringify(wrong[0])}`);
  const refusedInMs = median(refusals.map(({ ms }) => ms));
  // A refusal costs less than an acceptance, also on a busy machine.
  if (refusedInMs > Math.max(refusedWithinMs, median(acceptedInMs)))
    findings.push(`half of the refusals took more than ${Math.round(refusedInMs)} ms`);
  const left = await drain(callers, jobIds);
  if (left > 0) findings.push(`${left} of ${jobIds.length} accepted calls had not ended after ${drainedWithinMs} ms`);
  return { ...injected, hit: injected.hit + jobIds.length, findings };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
}

/** Asks for all of them until they have completed. Gives how many had not in time. */
async function drain(callers: readonly HttpCaller[], jobIds: readonly string[]): Promise<number> {
  const queue = [...jobIds];
  const until = performance.now() + drainedWithinMs;
  let left = 0;
  const work = async (number: number): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const hasEnded = async () =>
        (await callers[number % callers.length]?.get(`/jobs/${next}?wait=2`))?.text.includes('"state":"completed"');
      await eventually(hasEnded, { withinMs: Math.max(0, until - performance.now()) }).catch(() => (left += 1));
    }
  };
  await Promise.all(Array.from({ length: callersAtOnce }, (_, number) => work(number)));
  return left;
}

const fewForMs = 6_000;
const spare = 10;
const connections = 100;

/** Some of the calls get a connection and the others none; all of them end well at some gateway. */
async function fewDescriptors({ lab, load, random }: Scene): Promise<Injected> {
  const index = random.integer(0, lab.system.gateways.length - 1);
  const pid = lab.system.gateways[index]?.pid;
  if (pid === undefined) throw new RangeError('No such gateway');
  const before = prlimit(pid);
  const open = readdirSync(`/proc/${pid}/fd`).length;
  const injectedAt = Date.now();
  prlimit(pid, open + spare);
  try {
    const burst = load.burst(
      Array.from({ length: connections }, () => effect()),
      index,
    );
    slowDown(burst, lab.ledger);
    const hit = await untilRunning(burst, lab.ledger);
    await sleep(fewForMs);
    return { injectedAt, healedAt: Date.now(), hit };
  } finally {
    prlimit(pid, before);
  }
}

/** The soft limit of open files of a process. @param limit set when given */
function prlimit(pid: number, limit?: number): number {
  const args = ['--pid', String(pid), '--raw', '--noheadings', '--output', 'SOFT', limit === undefined ? '--nofile' : `--nofile=${limit}:`];
  const { status, stdout, stderr, error } = spawnSync('prlimit', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`prlimit failed: ${error?.message ?? stderr}`);
  return Number(stdout);
}

function noPrlimit(): string | null {
  if (process.platform !== 'linux') return 'the number of open files of a running process can be changed on Linux alone';
  return spawnSync('prlimit', ['--version']).status === 0 ? null : 'the program prlimit (package util-linux) is missing';
}

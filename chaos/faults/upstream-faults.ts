// F18 to F20: the upstream refuses for a while, does not answer, or breaks the connection around the effect.
import { eventually } from '#lib/testing';
import type { Reaction } from '../../test/lab/ledger/reaction.js';
import type { CallLog } from '../history/call-log.js';
import { effect } from '../load/plans.js';
import type { Fault, Injected, Scene } from './fault.js';

export const upstreamFaults: readonly Fault[] = [
  { id: 'F18', title: 'upstream answers 429, with seven kinds of Retry-After', inject: limit, mayFail: ['effect'] },
  { id: 'F19', title: 'upstream does not answer', inject: silence, mayFail: ['effect'] },
  { id: 'F20.before', title: 'upstream resets the connection before the effect', inject: (scene) => reset(scene, 'reset-before') },
  { id: 'F20.after', title: 'upstream resets the connection after the effect', inject: (scene) => reset(scene, 'reset-after') },
];

const ofEach = 5;

interface Hint {
  /** As it is sent; absent for none. */
  readonly retryAfter?: string;
  readonly leastGapMs: number;
  /** Whether the call is given up: the upstream asks for more time than it has. */
  readonly givesUp?: boolean;
}

async function limit({ lab, load }: Scene): Promise<Injected> {
  const hints: readonly Hint[] = [
    { retryAfter: '2', leastGapMs: 1_950 },
    { retryAfter: new Date(Date.now() + 3_000).toUTCString(), leastGapMs: 900 },
    { retryAfter: '86400', leastGapMs: 0, givesUp: true },
    // Not valid: the tool's own backoff.
    { retryAfter: '-1', leastGapMs: 100 },
    { retryAfter: 'abc', leastGapMs: 100 },
    { retryAfter: '', leastGapMs: 100 },
    { leastGapMs: 100 },
  ];
  const calls = hints.flatMap((hint) => Array.from({ length: ofEach }, () => hint));
  const burst = load.burst(calls.map(() => effect()));
  const injectedAt = Date.now();
  burst.forEach(({ id }, index) => {
    const { retryAfter } = calls[index] ?? {};
    lab.ledger.script(id, { kind: 'status', status: 429, ...(retryAfter !== undefined && { retryAfter }) });
  });
  const hit = burst.length;
  await allEnded(burst);
  const findings = burst.flatMap((log, index) =>
    wrongWith(
      log,
      calls[index],
      lab.ledger.of(log.id).calls.map(({ at }) => at),
    ),
  );
  return { injectedAt, healedAt: Date.now(), hit, findings };
}

function wrongWith(log: CallLog, hint: Hint | undefined, times: readonly number[]): readonly string[] {
  if (!hint) return [];
  const told = `a call that was told Retry-After ${hint.retryAfter}`;
  if (log.isOk !== !hint.givesUp) return [`${told} ${log.isOk ? 'succeeded' : 'failed'}`];
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  return gaps.filter((gap) => gap < hint.leastGapMs).map((gap) => `${told} came back after ${gap} ms`);
}

const silent = 30;

/** Held until every attempt has been given up. Whatever the upstream does later must not count twice. */
async function silence({ lab, load }: Scene): Promise<Injected> {
  const orders = new Set<string>();
  using hold = lab.ledger.hold('before-effect', { match: ({ order }) => orders.has(order) });
  const burst = load.burst(Array.from({ length: silent }, () => effect()));
  for (const { id } of burst) orders.add(id);
  await hold.reached(silent * 0.8, 30_000);
  const injectedAt = Date.now();
  await allEnded(burst);
  hold.release();
  const wrong = burst.filter(({ code }) => code !== 'TIMEOUT');
  const findings = wrong.map(({ id, code }) => `${id} ended with ${code ?? 'success'} and not as a timeout`);
  return { injectedAt, healedAt: Date.now(), hit: new Set(hold.calls.map(({ order }) => order)).size, findings };
}

const resets = 30;

async function reset({ lab, load }: Scene, kind: Extract<Reaction['kind'], 'reset-before' | 'reset-after'>): Promise<Injected> {
  const burst = load.burst(Array.from({ length: resets }, () => effect()));
  const injectedAt = Date.now();
  for (const { id } of burst) lab.ledger.script(id, { kind }, { kind });
  await allEnded(burst);
  // Each came back, or the resets did not reach it.
  const hit = burst.filter(({ id }) => lab.ledger.of(id).calls.length === 3).length;
  return { injectedAt, healedAt: Date.now(), hit };
}

async function allEnded(burst: readonly CallLog[]): Promise<void> {
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 75_000, what: 'the end of all calls' });
}

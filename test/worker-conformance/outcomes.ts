// What became of a call, as the cases of the protocol want it. Each throws NotHeld where it is otherwise.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { until, type Bench, type Started } from './bench.js';
import { fieldOf, hold, NotHeld, same } from './check.js';
import { endTypes } from './worker-proxy.js';

/** What a worker has to be silent about a call after it was stopped, in ms; messages that are under way have time before. */
export const silent = { afterMs: 1_500, forMs: 1_500 };

/** A call is answered. */
export async function answers({ user }: Bench): Promise<void> {
  const { status, body } = await user.post('/tools/conformance', { act: 'answer' });
  const wanted = { effect_key: fieldOf(body, 'metadata', 'job_id'), attempt: 1 };
  same([status, dataOf(body)], [200, wanted], 'status and data');
}

/** A call rests, and ends with what its first attempt has kept. */
export async function rests(bench: Bench, act: string): Promise<void> {
  const started = await bench.start(act);
  await completes(bench, started, 1);
  same(await stepsOf(bench, started), ['first'], 'the steps that it told');
  same(endsOf(bench, started), ['rest'], 'the ends of the first attempt');
}

/** How the worker has ended the attempt that was sent first. */
export function endsOf({ proxy }: Bench, { attempt }: Started): readonly string[] {
  return proxy.saidOf(attempt).flatMap(({ message: { type } }) => (endTypes.includes(type) ? [type] : []));
}

/** Names of steps that the worker has told, in all attempts of a call. */
export async function stepsOf({ proxy }: Bench, { jobId }: Started): Promise<readonly unknown[]> {
  const attempts = proxy.heard('attempt').filter(({ data }) => data['effect_key'] === jobId);
  const said = new Set(attempts.map(({ data }) => data['attempt']));
  return proxy.said.flatMap(({ message: { type, attempt, name } }) => (type === 'step' && said.has(attempt) ? [name] : []));
}

/** The worker has said something of the attempt. */
export async function beginning({ proxy }: Bench, { attempt }: Started): Promise<void> {
  await until('progress of the attempt', () => proxy.saidOf(attempt).length > 0);
}

/** A call ends with what this attempt gives. */
export async function completes(bench: Bench, started: Started, attempt: number): Promise<void> {
  const { result } = await bench.ended(started);
  same(dataOf(result), { effect_key: started.jobId, attempt }, 'the data of the call');
}

/** The file of an answer. */
export async function filed(bench: Bench, started: Started): Promise<unknown> {
  const { result } = await bench.ended(started);
  return fieldOf(result, 'data', 'file');
}

/** A later attempt has done it. */
export async function completesAgain(bench: Bench, started: Started): Promise<void> {
  const { result } = await bench.ended(started);
  same(fieldOf(result, 'data', 'effect_key'), started.jobId, 'the effect key of the call');
  hold(fieldOf(result, 'data', 'attempt') !== 1, 'the first attempt has ended it');
}

/** The work of an attempt that was ended from outside goes on no more: it tells its progress every 100 ms as long as it does. */
export async function stopped({ proxy }: Bench, { attempt }: Started): Promise<void> {
  await sleep(silent.afterMs);
  const before = proxy.saidOf(attempt).length;
  await sleep(silent.forMs);
  if (proxy.saidOf(attempt).length > before) throw new NotHeld('it still tells progress of work that was stopped');
}

/** What a tool gave, without a file that is null: languages without optional fields have it so. */
export function dataOf(answer: unknown): unknown {
  const data = fieldOf(answer, 'data');
  return fieldOf(data, 'file') === null ? z.object({ effect_key: z.unknown(), attempt: z.unknown() }).parse(data) : data;
}

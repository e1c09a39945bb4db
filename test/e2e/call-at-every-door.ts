import { expect } from '@jest/globals';
import { acceptedShape, eventually, jobShape, type HttpCaller } from '#lib/testing';
import type { LabSystem } from './lab-system.js';

/** Calls of all kinds, which must succeed. @param callers the same one at two gateways, or twice at one */
export async function callAtEveryDoor(
  lab: LabSystem,
  { user, other }: { readonly user: HttpCaller; readonly other: HttpCaller },
): Promise<void> {
  const later = { prefer: 'respond-async' };
  await user.call('lab_cached', { order: 'now' });
  await user.call('lab_cached', { order: 'now' });
  const { links } = (await user.post('/tools/lab_cached', { order: 'later' }, { ...later, 'idempotency-key': 'once' })).as(acceptedShape);
  expect((await other.get(`${links.self}?wait=10`)).as(jobShape)).toMatchObject({ state: 'completed' });
  await using stream = await user.stream('/tools/lab_steps/sse?order=stream&steps=3&step_ms=10');
  expect((await stream.rest()).at(-1)).toMatchObject({ event: 'tool_result' });
  await using replay = await other.stream(links.events);
  expect((await replay.rest()).length).toBeGreaterThan(0);
  const failed = await user.call('lab_fail', { order: 'retried', kind: 'network', times: 1 });
  expect(failed.envelope.metadata.attempts).toBeGreaterThan(1);
  const long = (await user.post('/tools/lab_steps', { order: 'cancelled', steps: 100, step_ms: 300 }, later)).as(acceptedShape);
  await eventually(() => lab.ledger.of('cancelled').notes.length > 0, { what: 'a running call' });
  expect((await other.delete(long.links.cancel)).status).toBe(202);
  expect((await user.get(long.links.self)).as(jobShape)).toMatchObject({ state: 'cancelled' });
  expect((await user.post('/tools/batch', { calls: [{ id: 1, name: 'lab_cached', arguments: { order: 'batch' } }] })).status).toBe(200);
  expect((await user.post('/tickets', {})).status).toBe(201);
  expect((await user.get('/jobs')).status).toBe(200);
}

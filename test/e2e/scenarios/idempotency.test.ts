import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { acceptedShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from '../expectations.js';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { verifies } from '../verifies.js';
import { inProcess } from '../in-process.js';

describe('an idempotency key', () => {
  let lab: LabSystem;
  let system: System;
  let users: readonly HttpCaller[];

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess, gateways: 2 });
    system = lab.system;
    const user = await system.caller();
    users = system.gateways.map(({ url }) => user.at(url));
    // A process is slow at what it does for the first time.
    for (const one of users) await one.call('lab_effect', { order: 'warm' });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const at = (turn: number): HttpCaller => {
    const user = users[turn % users.length];
    if (!user) throw new Error('no gateway');
    return user;
  };

  verifies(['TU-15'], 'makes of 200 calls at once, at two gateways, one run with one answer', async () => {
    const key = { 'idempotency-key': 'race' };
    const replies = await Promise.all(Array.from({ length: 200 }, (_, index) => at(index).call('lab_effect', { order: 'race' }, key)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ envelope }) => JSON.stringify(envelope))).size).toBe(1);
    expect(replies.filter(({ headers }) => headers.get('idempotent-replayed') === 'true')).toHaveLength(199);
    expect(lab.ledger.of('race')).toMatchObject({ calls: [expect.anything()], effects: [expect.anything()] });
  });

  verifies(['TU-15'], 'gives the stored first answer to a client whose connection was lost, byte for byte', async () => {
    const key = { 'idempotency-key': 'lost' };
    using hold = lab.ledger.hold('after-effect', { match: ({ order }) => order === 'lost' });
    const gone = new AbortController();
    const lost = at(0).request('/tools/lab_effect', { method: 'POST', json: { order: 'lost' }, headers: key, signal: gone.signal });
    await hold.reached(1);
    gone.abort();
    await expect(lost).rejects.toThrow();
    hold.release();
    const again = await at(1).call('lab_effect', { order: 'lost' }, key);
    expectSuccess(again.envelope);
    const third = await at(0).call('lab_effect', { order: 'lost' }, key);
    expect(third.text).toBe(again.text);
    expect(third.headers.get('x-trace-id')).toBe(third.envelope.metadata.trace_id);
    expect(lab.ledger.of('lost').effects).toHaveLength(1);
  });

  test('of a running call joins it', async () => {
    const key = { 'idempotency-key': 'joined' };
    using hold = lab.ledger.hold('before-effect', { match: ({ order }) => order === 'joined' });
    const first = at(0).call('lab_effect', { order: 'joined' }, key);
    await hold.reached(1);
    const accepted = await at(1).post('/tools/lab_effect', { order: 'joined' }, { ...key, prefer: 'respond-async' });
    expect([accepted.status, accepted.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    hold.release();
    expect((await first).envelope.metadata.job_id).toBe(accepted.as(acceptedShape).job_id);
  });

  test('used with other parameters is a conflict, whichever gateway is asked', async () => {
    const key = { 'idempotency-key': 'once' };
    expectSuccess((await at(0).call('lab_effect', { order: 'once' }, key)).envelope);
    const refused = expectRefusal(await at(1).call('lab_effect', { order: 'twice' }, key), {
      status: 422,
      code: 'IDEMPOTENCY_CONFLICT',
      tool: 'lab_effect',
    });
    expect(refused.error.retryable).toBe(false);
    expect(lab.ledger.of('twice').calls).toEqual([]);
    const reordered = await at(0).request('/tools/lab_effect', {
      method: 'POST',
      raw: '{"witness":false, "order":"once"}',
      headers: { ...key, 'content-type': 'application/json' },
    });
    expect(reordered.headers.get('idempotent-replayed')).toBe('true');
  });

  test('belongs to its caller and tool: the same text of another is another key', async () => {
    const key = { 'idempotency-key': 'shared' };
    const first = (await at(0).call('lab_effect', { order: 'shared' }, key)).envelope;
    const other = await (await system.caller({ userId: 'user_other' })).call('lab_effect', { order: 'shared' }, key);
    expect(other.headers.get('idempotent-replayed')).toBeNull();
    expect(other.envelope.metadata.job_id).not.toBe(first.metadata.job_id);
    const tool = await at(0).call('lab_secret', { order: 'shared' }, key);
    expect(tool.headers.get('idempotent-replayed')).toBeNull();
    const sameUser = await (await system.caller()).call('lab_effect', { order: 'shared' }, key);
    expect(sameUser.envelope.metadata.job_id).toBe(first.metadata.job_id);
  });

  test('replays refusals and failures too', async () => {
    for (const [kind, status] of [
      ['refusal', 409],
      ['internal', 500],
    ] as const) {
      const key = { 'idempotency-key': `replay-${kind}` };
      const params = { order: `replay-${kind}`, kind, times: 1 };
      const first = await at(0).call('lab_fail', params, key);
      const again = await at(1).call('lab_fail', params, key);
      expect([first.status, again.status, again.headers.get('idempotent-replayed'), again.text]).toEqual([
        status,
        status,
        'true',
        first.text,
      ]);
      expect(lab.ledger.of(`replay-${kind}`).attempts).toHaveLength(1);
    }
  });

  test('stands for a run of its own, not for what the cache holds', async () => {
    await at(0).call('lab_cached', { order: 'uncached' });
    const keyed = await at(0).call('lab_cached', { order: 'uncached' }, { 'idempotency-key': 'fresh' });
    expect(keyed.envelope).toMatchObject({ data: { run: 2 }, metadata: { cache: { hit: false } } });
  });
});

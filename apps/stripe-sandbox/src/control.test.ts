import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { StripeSandbox } from './sandbox.js';

let sandbox: StripeSandbox;
beforeAll(async () => {
  sandbox = await StripeSandbox.start();
});
afterAll(async () => sandbox[Symbol.asyncDispose]());
beforeEach(() => sandbox.reset());

async function control(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }> {
  const response = await fetch(`${sandbox.url}/_sandbox/${path}`, {
    method,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: await response.json() };
}

describe('the control door', () => {
  test('forgets calls, links, faults and idempotency on reset, and keeps accounts and keys', async () => {
    sandbox.accounts.set('acct_kept', Object(sandbox.accounts.get('acct_ok')));
    await fetch(`${sandbox.url}/v1/nothing`);
    sandbox.faults.add({ kind: 'hang' });
    expect((await control('POST', 'reset')).status).toBe(200);
    expect(await control('GET', 'ledger')).toEqual({ status: 200, body: { calls: [], links: [] } });
    expect([sandbox.faults.next('GET /', ''), sandbox.accounts.has('acct_kept')]).toEqual([null, true]);
  });

  test('takes settings one by one', async () => {
    await control('POST', 'settings', { marker: 'm', latency_ms: 5 });
    expect([sandbox.marker, sandbox.latencyMs]).toEqual(['m', 5]);
    await control('POST', 'settings', { latency_ms: 0 });
    expect([sandbox.marker, sandbox.latencyMs]).toEqual(['m', 0]);
  });

  test('grants and revokes keys', async () => {
    await control('POST', 'keys', { key: 'rk_test_a', grant: 'read' });
    expect(sandbox.keys.refuse('rk_test_a', 'POST')).toMatchObject({ status: 403 });
    await control('POST', 'keys', { key: 'rk_test_a', grant: 'none' });
    expect(sandbox.keys.refuse('rk_test_a', 'GET')).toBeNull();
  });

  test('takes faults back', async () => {
    await control('POST', 'faults', { kind: 'hang', times: 5 });
    await control('DELETE', 'faults');
    expect(sandbox.faults.next('GET /', '')).toBeNull();
  });

  test.each([
    ['POST', 'faults', { kind: 'delay', ms: 'long' }, 400],
    ['POST', 'faults', '{', 400],
    ['POST', 'accounts', { id: 'not an id' }, 400],
    ['POST', 'settings', { latency_ms: 60_001 }, 400],
    ['POST', 'settings', { other: 1 }, 400],
    ['POST', 'keys', { key: 'k', grant: 'all' }, 400],
    ['POST', 'ledger', {}, 404],
    ['GET', 'faults', undefined, 404],
  ])('answers %s %s %j with %i, and says why', async (...[method, path, body, status]) => {
    expect(await control(method, path, body)).toEqual({ status, body: { error: expect.stringMatching(/./) } });
  });
});

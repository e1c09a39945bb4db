import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { fingerprint, servedDomainName, toServedTool } from '#lib/contracts';
import { eventually, RawWorker } from '#lib/testing';
import { Stores } from '../stores.js';
import { TestHttpGateway } from '../test-http-gateway.js';
import type { ServedTools } from './served-tools.js';
import { announced, announcer as announcerAt, servingWith } from './test-announcer.js';
import { contractOf } from './test-contract.js';

let gateway: TestHttpGateway;
let tools: ServedTools;
const workersPerKey = 6;
beforeAll(async () => {
  gateway = await TestHttpGateway.start({ WORKERS_PER_CREDENTIAL: String(workersPerKey) });
  tools = gateway.app.get(Stores).servedTools;
});
afterAll(async () => gateway[Symbol.asyncDispose]());

const otherAnswer = {
  output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  examples: [{ input: { units: 2 }, output: { sum: 1 } }],
};

const toServedRow = z.object({ input: z.object({ properties: z.record(z.string(), z.unknown()) }) });

/** Announces for a tenant of its own, so that tests do not meet. */
const announcer = () => announcerAt(gateway);

describe('what a worker announces', () => {
  test('waits for an administrator, unless its key says otherwise', async () => {
    const [one, other] = [announcer(), announcer()];
    expect(await one.announce(announced())).toMatchObject({ state: 'pending' });
    expect(await one.announce(announced())).toMatchObject({ state: 'pending' });
    await one.approve();
    expect(await one.announce(announced())).toMatchObject({ state: 'approved' });
    expect(await other.announce(announced(), { approves: true })).toMatchObject({ state: 'approved' });
  });

  test('keeps the order in which its maker wrote the parameters', async () => {
    const one = announcer();
    const properties = {
      units: { type: 'number' },
      zone: { type: 'string' },
      a: { type: 'string' },
      quite_a_long_name: { type: 'string' },
    };
    await one.announce(announced({ input: { type: 'object', properties, required: ['units'] } }), { approves: true });
    const [kept] = await tools.all(one.tenant);
    const { input } = toServedRow.parse(kept?.contract);
    expect(Object.keys(input.properties)).toEqual(Object.keys(properties));
  });

  test('may be announced by many workers at once', async () => {
    const one = announcer();
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => one.announce(announced())));
    expect(new Set(verdicts.map((verdict) => verdict?.state))).toEqual(new Set(['pending']));
    expect(await tools.all(one.tenant)).toHaveLength(1);
  });

  test('may be changed while nobody has approved it, and the approval is of what was looked at', async () => {
    const one = announcer();
    await one.announce(announced());
    const [looked] = await tools.all(one.tenant);
    await one.announce(announced(otherAnswer));
    const seen = { tenantId: one.tenant, name: 'make_quote', version: '1.0.0', fingerprint: fingerprint(looked?.contract) };
    expect(await tools.approve(seen, 'admin')).toMatchObject({ kind: 'row', row: { approvedAt: null } });
    expect(await one.approve()).toMatchObject({ kind: 'row', row: { approvedBy: 'person' } });
  });

  test('that breaks callers of what was approved is refused, and what does not is not', async () => {
    const one = announcer();
    await one.announce(announced(), { approves: true });
    expect(await one.announce(announced(otherAnswer))).toMatchObject({
      state: 'refused',
      reason: expect.stringMatching(/is not what was published under that version .*give it a new version/),
    });
    expect(await one.announce(announced({ ...otherAnswer, version: '1.1.0' }))).toMatchObject({
      state: 'refused',
      reason: expect.stringMatching(/breaks callers of 1\.0\.0 \(output\.total was removed.*needs a new major version/),
    });
    expect(await one.announce(announced({ version: '1.1.0' }))).toMatchObject({ state: 'approved' });
    expect(await one.announce(announced({ ...otherAnswer, version: '2.0.0' }))).toMatchObject({ state: 'pending' });
  });

  test('below 1.0.0 may change under its number in development, by a key that approves, and not in production', async () => {
    const { announcements } = servingWith(gateway, { isDevelopment: true });
    const one = announcer();
    const place = { tenant: one.tenant, domain: 'sales' };
    const develop = async (tool: object, approves = true) =>
      (await announcements.announce({ place, keyId: 'k', approves }, [tool]))[0]?.state;
    const draft = { version: '0.1.0' };
    expect(await develop(announced(draft))).toBe('approved');
    expect(await one.announce(announced({ ...draft, ...otherAnswer }), { approves: true })).toMatchObject({ state: 'refused' });
    expect(await develop(announced({ ...draft, ...otherAnswer }), false)).toBe('refused');
    expect(await develop(announced({ ...draft, ...otherAnswer }))).toBe('approved');
    expect(await develop(announced())).toBe('approved');
    expect(await develop(announced(otherAnswer))).toBe('refused');
  });

  test('that reads must not begin to write without an administrator', async () => {
    const one = announcer();
    await one.announce(announced(), { approves: true });
    expect(await one.announce(announced({ version: '1.1.0', effect: 'write' }))).toMatchObject({ state: 'pending' });
    expect(await one.announce(announced({ effect: 'write' }))).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining('new version'),
    });
  });

  test.each<[string, object, RegExp]>([
    ['with a name of ours', announced({ name: 'calc_metrics' }), /'calc_metrics' is a tool of Invoq/],
    ['with the name of another door', announced({ name: 'batch' }), /name: must not be batch/],
    ['with a fault', announced({ timeout_ms: 'soon' }), /timeout_ms/],
    ['with an example that does not fit', announced({ examples: [{ input: {}, output: { total: 1 } }] }), /examples\.0\.input/],
    ['that is too deep', { input: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) }, /24 levels/],
    ['that is nothing', [], /./],
  ])('%s is refused with the reason', async (_, tool, reason) => {
    expect(await announcer().announce(tool)).toMatchObject({ state: 'refused', reason: expect.stringMatching(reason) });
  });

  test('belongs to one domain of its tenant', async () => {
    const one = announcer();
    await one.announce(announced(), { approves: true });
    expect(await one.announce(announced({ version: '2.0.0' }), { domain: 'other' })).toMatchObject({
      state: 'refused',
      reason: expect.stringContaining("the domain 'sales'"),
    });
  });
});

const list = z.object({
  tools: z.array(z.looseObject({ name: z.string(), version: z.string(), state: z.string(), fingerprint: z.string() })),
});
const asAdmin = (path: string, method = 'GET') => gateway.send(path, { method, authorization: gateway.admin });
const names = async (authorization = gateway.user) => {
  const { body } = await gateway.send('/tools', { authorization });
  return z
    .object({ tools: z.array(z.looseObject({ name: z.string() })) })
    .parse(JSON.parse(body))
    .tools.map(({ name }) => name);
};

describe('a removed version', () => {
  test('is known as removed until it is approved again', async () => {
    const one = announcer();
    const removals = async () =>
      (await tools.removedSince(new Date(Date.now() - 60_000))).filter(({ tenantId }) => tenantId === one.tenant);
    await one.announce(announced(), { approves: true });
    expect(await removals()).toEqual([]);
    await one.remove();
    expect(await removals()).toMatchObject([{ name: 'make_quote', version: '1.0.0' }]);
    expect(await one.announce(announced(), { approves: true })).toMatchObject({ state: 'pending' });
    expect(await removals()).toHaveLength(1);
    await one.approve();
    expect(await removals()).toEqual([]);
  });
});

describe('an administrator', () => {
  test('sees, approves and removes tools; a tool is listed to its tenant alone, while a worker serves it', async () => {
    const tenant = gateway.tenant.id;
    const { servedDirectory, announcements } = gateway.app.get(Stores);
    await announcements.announce({ place: { tenant, domain: 'sales' }, keyId: 'k', approves: false }, [announced()]);
    const [pending] = list.parse(JSON.parse((await asAdmin(`/served-tools?tenant_id=${tenant}`)).body)).tools;
    expect(pending).toMatchObject({ name: 'make_quote', state: 'pending' });
    const wanted = { tenant_id: tenant, name: 'make_quote', version: '1.0.0' };
    expect((await gateway.post('/served-tools/approvals', { ...wanted, fingerprint: '0'.repeat(64) }, gateway.admin)).status).toBe(409);
    expect((await gateway.post('/tools/make_quote', { units: 2 })).status).toBe(404);
    const approved = await gateway.post('/served-tools/approvals', { ...wanted, fingerprint: pending?.fingerprint }, gateway.admin);
    expect([approved.status, JSON.parse(approved.body)]).toEqual([200, expect.objectContaining({ state: 'approved' })]);
    expect(await names()).not.toContain('make_quote');
    const unserved = await gateway.post('/tools/make_quote', { units: 2 });
    expect([unserved.status, JSON.parse(unserved.body).error]).toEqual([
      503,
      expect.objectContaining({ code: 'NETWORK_ERROR', retryable: true, message: expect.stringContaining('No worker serves') }),
    ]);

    await servedDirectory.announce([{ queue: servedDomainName({ tenant, domain: 'sales' }), name: 'make_quote', version: '1.0.0' }]);
    await servedDirectory.changed();
    expect(await names()).toContain('make_quote');
    for (const format of ['openai', 'anthropic', 'mcp', 'native'])
      expect((await gateway.send(`/tools?domain=sales&format=${format}`, { authorization: gateway.user })).body).toContain('make_quote');
    expect((await gateway.send('/openapi.json', { authorization: gateway.user })).body).toContain('/tools/make_quote');

    const removed = await asAdmin(`/served-tools/make_quote/1.0.0?tenant_id=${tenant}`, 'DELETE');
    expect(removed.status).toBe(200);
    expect(await names()).not.toContain('make_quote');
    expect((await gateway.post('/tools/make_quote', { units: 2 })).status).toBe(404);
    expect((await asAdmin(`/served-tools/make_quote/1.0.0?tenant_id=${tenant}`, 'DELETE')).status).toBe(404);
  });

  test('is needed for all of it', async () => {
    const body = { tenant_id: 't', name: 'n', version: '1.0.0', fingerprint: '0'.repeat(64) };
    expect((await gateway.send('/served-tools', { authorization: gateway.user })).status).toBe(403);
    expect((await gateway.post('/served-tools/approvals', body)).status).toBe(403);
    expect((await gateway.send('/served-tools/a/1.0.0', { method: 'DELETE', authorization: gateway.user })).status).toBe(403);
    expect((await asAdmin('/served-tools/a/1.0.0', 'DELETE')).status).toBe(400);
  });
});

test('a worker is refused where its key has enough, until one of them leaves; other keys have their own', async () => {
  const url = `http://127.0.0.1:${gateway.port}`;
  const [mine = '', other = ''] = await Promise.all(
    [1, 2].map(async () => gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true })),
  );
  const body = { protocol: 1, domain: 'sales', concurrency: 1, tools: [toServedTool(contractOf('one_of_few'))] };
  const connect = async (key: string) => RawWorker.connect({ url, key, tools: body.tools });
  const atOnce = Array.from({ length: workersPerKey + 3 }, async () => connect(mine));
  const connected = (await Promise.allSettled(atOnce)).flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  expect(connected).toHaveLength(workersPerKey);
  const refused = await gateway.post('/workers', body, `Bearer ${mine}`);
  expect([refused.status, refused.headers['retry-after']]).toEqual([429, '5']);
  expect(refused.body).toContain('has 6 workers here');
  connected.push(await connect(other));
  connected.shift()?.cut();
  connected.push(await eventually(async () => connect(mine).catch(() => undefined)));
  for (const one of connected) one.cut();
});

// Values of paths, queries and headers that no route may see.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { TestHttpGateway } from '../test-http-gateway.js';
import { RouteTable } from './route-table.js';

const envelope = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string(), details: z.array(z.object({ path: z.string() })) }),
});

let gateway: TestHttpGateway;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

async function refusalOf(path: string, headers: Record<string, string> = {}) {
  const { status, body } = await gateway.send(path, { authorization: gateway.admin, headers });
  const { error } = envelope.parse(JSON.parse(body));
  return { status, code: error.code, field: error.details[0]?.path, message: error.message };
}
const invalid = (field: string) => ({ status: 400, code: 'INVALID_PARAMS', field, message: expect.stringContaining(`'${field}' in the `) });

describe('A control character in a path', () => {
  test.each(['%00', 'x%00', '%0a', '%1f', '%7F', '%C2%85'])('is refused by every route: %s', async (value) => {
    const withParameters = gateway.app.get(RouteTable).routes.filter(({ url }) => url.includes(':') && !url.includes('*'));
    expect(withParameters.length).toBeGreaterThan(20);
    for (const { method, url } of withParameters) {
      const path = url.replaceAll(/:\w+/g, value);
      const { status, body } = await gateway.send(path, { method, authorization: gateway.admin });
      expect({ method, path, status, isText: method === 'HEAD' || body.includes('control character') || body.includes('NUL') }).toEqual({
        method,
        path,
        status: 400,
        isText: true,
      });
    }
  });

  test.each(['/files/%00', '/keys/%00', '/mcp/servers/%00'])('is named: %s', async (path) => {
    expect((await refusalOf(path)).message).toMatch(/^'(id|name)' in the path holds/);
  });
});

describe('In a query', () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const call = '/tools/user_profile_lookup/sse?user_id=user_001';

  test.each([
    ['a NUL', `/tools/user_profile_lookup/sse?user_id=%00`, 'user_id'],
    ['a NUL in one of two values', `${call}&fields=a&fields=%00`, 'fields'],
    ['a NUL, in a parameter of a list', '/jobs?tool=%00', 'tool'],
    ['a NUL, in a cursor', '/jobs?cursor=%00', 'cursor'],
    ['a NUL, where nothing reads it', '/keys?x=%00', 'x'],
    ['JSON of 64 levels', `${call}&metacognition=true&personality=${encodeURIComponent(deep(64))}`, 'personality'],
    ['JSON of 500 levels', `${call}&metacognition=true&personality=${encodeURIComponent(deep(500))}`, 'personality'],
    ['JSON with a prototype', `${call}&metacognition=true&personality=${encodeURIComponent('{"__proto__":{"a":1}}')}`, 'personality'],
    [
      'JSON with a prototype further in',
      `${call}&personality=${encodeURIComponent('{"a":{"constructor":{"prototype":{}}}}')}`,
      'personality',
    ],
    ['JSON with a NUL', `${call}&personality=${encodeURIComponent('{"a":"\\u0000"}')}`, 'personality'],
    ['JSON with half a character', `${call}&personality=${encodeURIComponent('{"a":"\\ud800"}')}`, 'personality'],
    ['JSON of any parameter', `${call}&filters=${encodeURIComponent(' [{"__proto__":{"a":1}}]')}`, 'filters'],
    ['a place in a stream that is given twice', `${call}&lastEventId=evt_profile_a_1&lastEventId=evt_profile_a_2`, 'lastEventId'],
    ['the second of two texts of JSON', `${call}&filters={}&filters=${encodeURIComponent(deep(64))}`, 'filters'],
  ])('%s is refused by its name', async (_, path, field) => {
    expect(await refusalOf(path)).toEqual(invalid(field));
  });

  test.each(['__proto__=1', '%00=1', 'a%00b=1'])('the name is refused: %s', async (query) => {
    expect(await refusalOf(`/tools?${query}`)).toMatchObject({ status: 400, message: expect.stringMatching(/^The query /) });
  });

  test('what only looks like JSON is text', async () => {
    const { body } = await gateway.send('/tools?domain=%7B%22a%22', { authorization: gateway.user });
    expect(JSON.parse(body)).toMatchObject({ error: { message: expect.stringContaining('domain') } });
  });

  test('line breaks and any script are text like in a body', async () => {
    expect((await gateway.send('/tools?domain=%E5%81%A5%0A', { authorization: gateway.user })).body).not.toContain('holds');
  });
});

describe('In the headers', () => {
  test.each(['X-User-Id', 'x-session-id', 'Idempotency-Key', 'LAST-EVENT-ID'])('%s is refused when it is given twice', async (name) => {
    const answer = await refusalOf('/tools', { [name]: ['a', 'b'] as unknown as string });
    expect(answer).toEqual(invalid(name.toLowerCase()));
  });
});

test('a credential that is given twice is refused, also the same one: a proxy may take the other', async () => {
  const { admin } = gateway;
  const answer = await gateway.send('/tools', { headers: { Authorization: [admin, admin] as unknown as string } });
  expect([answer.status, answer.body]).toEqual([400, expect.stringContaining("'authorization' in the headers must be given once")]);
});

test('A stranger is asked for a credential first, whatever the values are', async () => {
  expect((await gateway.send('/keys/%00')).status).toBe(401);
  expect((await gateway.send('/files/%00')).status).toBe(400);
});

import { afterAll, describe, expect, test } from '@jest/globals';
import Fastify, { type FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import { newCaller, newFacts } from '../calls/test-request.js';
import { callBasics, sessionOf } from './call-headers.js';

let read: (request: FastifyRequest) => void = () => undefined;
const server = Fastify();
server.decorateRequest('facts');
server.get('/', async (request) => {
  request.facts = { ...newFacts(), caller: newCaller() };
  read(request);
  return null;
});
afterAll(async () => server.close());

/** What a function gives for a request; the error of a refusal. */
async function given(reader: (request: FastifyRequest) => unknown, headers: Record<string, string> = {}): Promise<unknown> {
  let found: unknown;
  read = (request) => {
    try {
      found = reader(request);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      found = error.error;
    }
  };
  await server.inject({ url: '/', headers });
  return found;
}

describe('the headers of a call', () => {
  test('are its idempotency key, its session, and the versions that the caller has', async () => {
    const headers = { 'idempotency-key': 'k', 'x-session-id': 's-1', 'if-none-match': 'W/"a1", "b2",nonsense' };
    expect(await given((request) => callBasics(request), headers)).toMatchObject({
      idempotencyKey: 'k',
      sessionId: 's-1',
      known: ['a1', 'b2'],
    });
    expect(await given((request) => callBasics(request))).toMatchObject({ idempotencyKey: null, sessionId: null, known: [] });
  });

  test('hold at most 16 versions', async () => {
    const header = Array.from({ length: 20 }, (_, index) => `"v${index}"`).join(', ');
    const { known } = (await given((request) => callBasics(request), { 'if-none-match': header })) as { known: string[] };
    expect(known).toHaveLength(16);
  });

  test.each(['two words', 'a/b', '', 'x'.repeat(129), 'sess;1'])('refuse the session %j', async (session) => {
    expect(await given((request) => callBasics(request), { 'x-session-id': session })).toMatchObject({
      family: 'INVALID_PARAMS',
      details: [{ path: 'X-Session-Id' }],
    });
  });

  test('name no session where there is none', async () => {
    expect(await given(sessionOf)).toBeNull();
    expect(await given(sessionOf, { 'x-session-id': 's1' })).toBe('s1');
  });
});

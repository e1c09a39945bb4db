import { expect, test } from '@jest/globals';
import { askableIn, newSessionId } from './session-id.js';

const initialize = (capabilities: unknown) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'a', version: '1' } },
});

test('a session id says what the client can be asked for, and nothing else of what it declared', () => {
  const id = newSessionId(initialize({ elicitation: { form: {} }, sampling: {}, experimental: { long: { text: 'x'.repeat(10_000) } } }));
  expect(id).toMatch(/^[\x21-\x7e]{36,200}$/);
  expect(askableIn(id)).toEqual({ elicitation: { form: {} }, sampling: {} });
});

test('a client that can be asked for nothing has a plain name', () => {
  const id = newSessionId(initialize({ experimental: {} }));
  expect(id).toMatch(/^[0-9a-f-]{36}$/);
  expect(askableIn(id)).toBeNull();
});

test('only an initialize gets an id', () => {
  for (const body of [undefined, null, [], { method: 'initialize' }, { jsonrpc: '2.0', id: 1, method: 'ping' }])
    expect(newSessionId(body)).toBeNull();
});

test.each([
  undefined,
  '',
  'x',
  'x.',
  'x.y.z',
  `x.${Buffer.from('{').toString('base64url')}`,
  `x.${Buffer.from('[7]').toString('base64url')}`,
])('a session id that is none of ours, %j, declares nothing', (id) => {
  expect(askableIn(id)).toBeNull();
});

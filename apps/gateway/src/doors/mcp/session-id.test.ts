import { expect, test } from '@jest/globals';
import { askableIn, newSessionId, sessionStart } from './session-id.js';

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

test('a session id says when its session began, and that of another kind does not', () => {
  const before = Date.now();
  for (const capabilities of [{}, { sampling: {} }]) {
    const id = newSessionId(initialize(capabilities));
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/);
    expect(sessionStart(id)).toBeGreaterThanOrEqual(before);
    expect(sessionStart(id)).toBeLessThanOrEqual(Date.now());
  }
  for (const other of [undefined, '', 'x', '0b0ab54a-5a4e-4c6e-9d61-0f1b9d3b2a11', ['x']]) expect(sessionStart(other)).toBeNull();
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

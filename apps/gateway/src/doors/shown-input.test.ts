import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { defineTool, secret, sensitive, type Caller } from '#lib/contracts';
import type { CallHead } from '#lib/transport';
import { shownInput } from './shown-input.js';

const owner: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
const admin: Caller = { ...owner, userId: null, scopes: ['*'], credentialId: 'admin' };
const contract = defineTool({
  name: 'test_marked',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Marked',
  description: 'Has parameters of every mark.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({
    plain: z.string().describe('Anything.'),
    weight_kg: sensitive(z.number()).describe('Weight.'),
    people: z.array(z.strictObject({ name: sensitive(z.string()).describe('Name.') })).describe('People.'),
    token: secret(z.string()).describe('Never shown.'),
  }),
  output: z.strictObject({}),
  errors: {},
  timeoutMs: 1_000,
  estimatedTokens: { input: 1, output: { typical: 1 } },
  examples: [{ input: { plain: 'a', weight_kg: 1, people: [], token: 'x' }, output: {} }],
});
const input = { plain: 'a', weight_kg: 70, people: [{ name: 'Ann' }], token: 'hush' };
const head = (own: Partial<CallHead> = {}): CallHead => ({
  v: 1,
  tool: 'test_marked',
  version: '1.0.0',
  input,
  caller: owner,
  sessionId: null,
  traceId: 'trace_x',
  traceparent: '',
  createdAt: 0,
  validationMs: 0,
  maxAttempts: 1,
  retry: true,
  flightKey: null,
  cacheKey: null,
  ...own,
});

describe('The parameters of a run', () => {
  test('are shown to its caller as they were, without secrets', () => {
    expect(shownInput(head(), owner, contract)).toEqual({
      input: { ...input, token: '[redacted]' },
      input_state: 'whole',
      replay_of: null,
    });
  });

  test.each([admin, { ...owner, userId: 'other' }, { ...owner, tenantId: 'other' }])('are masked for everybody else: %j', (reader) => {
    const masked = { plain: 'a', weight_kg: '[redacted]', people: [{ name: '[redacted]' }], token: '[redacted]' };
    expect(shownInput(head(), reader, contract)).toEqual({ input: masked, input_state: 'masked', replay_of: null });
  });

  test('of a tool that is gone are shown to its caller alone', () => {
    expect(shownInput(head(), owner, undefined).input_state).toBe('whole');
    expect(shownInput(head(), admin, undefined)).toMatchObject({ input: null, input_state: 'gone' });
  });

  test('that are in a file, or are kept no more, are not there', () => {
    expect(shownInput(head({ body: { key: 'x', bytes: 1 } }), owner, contract)).toMatchObject({ input: null, input_state: 'large' });
    expect(shownInput(head({ input: {}, inputGone: true }), owner, contract)).toMatchObject({ input: null, input_state: 'gone' });
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { tools } from '../all-tools.js';
import { fileOutput } from '../file-output.js';
import { longTextParameters, truncationInfo } from '../long-text.js';
import { parseAgentOutput } from './agent-output.js';
import { guestTools, iterationsOf } from './chat-mode.js';
import { chatQuotaSubject, guestCredential, guestTenant, isGuest } from './guest.js';

describe('the output of a turn', () => {
  const usage = { input_tokens: 0, output_tokens: 0 };

  test.each([
    { type: 'thinking', iteration: 1 },
    { type: 'content', content: '' },
    { type: 'tool_call', id: 'c', name: 'n', arguments: {} },
    { type: 'tool_result', id: 'c', name: 'n', result: { any: [1] } },
    { type: 'tool_rest', id: 'c', name: 'n', job_id: 'j', input_request: 'r', until: 1 },
    { type: 'step', iteration: 10, finish_reason: 'tool-calls', usage },
  ])('%j is read as it is', (output) => {
    expect(parseAgentOutput(output)).toEqual(output);
  });

  test.each([
    null,
    'text',
    {},
    { type: 'done', content: 'x' },
    { type: 'thinking', iteration: 0 },
    { type: 'thinking', iteration: 1.5 },
    { type: 'content' },
    { type: 'tool_call', id: 'c', name: 'n', arguments: [] },
    { type: 'step', iteration: 1, finish_reason: 'bored', usage },
    { type: 'step', iteration: 1, finish_reason: 'stop', usage: { input_tokens: -1, output_tokens: 0 } },
  ])('%j is no output', (output) => {
    expect(() => parseAgentOutput(output)).toThrow(z.ZodError);
  });
});

describe('a guest', () => {
  const guest = { tenantId: guestTenant, userId: 'cookie-1', credentialId: `${guestCredential}192.0.2.1` };

  test('is known by tenant and credential together', () => {
    expect(isGuest(guest)).toBe(true);
    expect(isGuest({ ...guest, tenantId: 'acme' })).toBe(false);
    expect(isGuest({ ...guest, credentialId: 'key_1' })).toBe(false);
    expect(isGuest({ ...guest, credentialId: `x${guestCredential}` })).toBe(false);
  });

  test('is counted by address, so that a new cookie gives no new chats', () => {
    fc.assert(
      fc.property(fc.option(fc.string()), (userId) => {
        expect(chatQuotaSubject({ ...guest, userId })).toEqual({ ...guest, userId: null });
      }),
    );
    expect(chatQuotaSubject({ ...guest, tenantId: 'acme' })).toEqual({ ...guest, tenantId: 'acme' });
  });

  test('has tools that exist, and fewer model calls than users', () => {
    for (const name of guestTools) expect(tools.map((tool) => tool.name)).toContain(name);
    expect(iterationsOf.guest).toBeLessThan(iterationsOf.simple);
    expect(iterationsOf.simple).toBeLessThan(iterationsOf.complex);
  });
});

describe('shared fields', () => {
  const file = {
    file_id: 'file_1',
    filename: 'a.pdf',
    content_type: 'application/pdf',
    size_bytes: 0,
    url: 'https://example.com/files/file_1',
    expires_at: '2026-01-01T00:00:00Z',
  };

  test.each([
    [{}, true],
    [{ content_base64: 'QUJD' }, true],
    [{ size_bytes: -1 }, false],
    [{ size_bytes: 1.5 }, false],
    [{ url: 'file_1' }, false],
    [{ expires_at: 'tomorrow' }, false],
    [{ filename: undefined }, false],
  ])('a file changed by %j is one: %s', (change, isFile) => {
    expect(z.strictObject(fileOutput).safeParse({ ...file, ...change }).success).toBe(isFile);
  });

  test('the limit of long text is 2,000 characters unless another one from 1 to 100,000 is given', () => {
    const parameters = z.strictObject(longTextParameters);
    expect(parameters.parse({})).toEqual({ max_length: 2_000, return_summary: true });
    for (const max_length of [1, 100_000]) expect(parameters.safeParse({ max_length }).success).toBe(true);
    for (const max_length of [0, 100_001, 1.5, '10']) expect(parameters.safeParse({ max_length }).success).toBe(false);
    expect(truncationInfo.safeParse({ original_length: 2, returned_length: 1 }).success).toBe(true);
  });
});

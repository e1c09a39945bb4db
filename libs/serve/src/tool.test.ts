import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { servedTool, toServedTool } from '#lib/contracts';
import { defineTool } from './own-contract.js';
import { testTool } from './tested-tool.js';
import { named, tool } from './tool.js';

const spec = { description: 'Say how long a text is.', input: z.object({ text: z.string() }) };

describe('the short form of a tool', () => {
  test('is a contract with defaults, which a gateway takes under the name of its file', () => {
    const made = named(
      tool(spec, () => 1),
      'text_length',
    );
    const { contract } = made;
    expect(contract).toMatchObject({ name: 'text_length', title: 'Text length', version: '0.1.0', domain: 'own-tools', effect: 'write' });
    expect(servedTool.safeParse(toServedTool(contract))).toMatchObject({ success: true });
  });

  test.each([
    [3, { result: 3 }],
    [undefined, { result: null }],
    [['a'], { result: ['a'] }],
    [
      { length: 3, more: true },
      { length: 3, more: true },
    ],
  ])('answers %j as the object %j', async (given, data) => {
    expect(
      await testTool(
        tool(spec, () => given),
        { text: 'abc' },
      ),
    ).toMatchObject({ kind: 'done', data });
  });

  test('has parameters of any name, which are absent where nobody gave them', async () => {
    const input = z.object({ constructor: z.string().optional(), toString: z.string().optional() });
    const made = tool({ description: 'Names.', input }, (given) => ({ names: Object.keys(given) }));
    expect(await testTool(made, {})).toMatchObject({ kind: 'done', data: { names: [] } });
    expect(await testTool(made, { toString: 'a' })).toMatchObject({ kind: 'done', data: { names: ['toString'] } });
  });

  test('parses its input once, and refuses unknown parameters', async () => {
    const made = tool(
      { description: 'Length.', input: z.object({ text: z.string().transform((text) => text.length) }) },
      ({ text }) => text,
    );
    expect(await testTool(made, { text: 'abc' })).toMatchObject({ data: { result: 3 } });
    await expect(testTool(made, { text: 'abc', other: 1 })).rejects.toThrow('Unrecognized key');
  });

  test('has what it throws as its failure, and what it refuses as a result', async () => {
    const errors = { TOO_LONG: 'INVALID_PARAMS' } as const;
    const made = tool({ ...spec, name: 'length', errors, domain: 'own-texts' }, ({ text }, { error }) => {
      if (text === 'long') throw error('TOO_LONG', 'At most 3');
      throw new TypeError('planted');
    });
    expect(made.contract.domain).toBe('own-texts');
    await expect(testTool(made, { text: '' })).rejects.toThrow('planted');
    expect(await testTool(made, { text: 'long' })).toMatchObject({ kind: 'refused', error: { native_code: 'TOO_LONG' } });
  });

  test('does not compile with what a tool of a tenant may not have', () => {
    // @ts-expect-error scopes are those of the product's own tools
    tool({ ...spec, scopes: ['profile:any'] }, () => 1);
    // @ts-expect-error no cache is shared between tenants
    tool({ ...spec, cache: { ttlSeconds: 1, scope: 'public' } }, () => 1);
    // @ts-expect-error it refuses with nothing that it does not declare
    tool(spec, (_, { error }) => error('NO_SUCH_ERROR', ''));
    // @ts-expect-error 5 is no text
    tool({ ...spec, output: z.object({ text: z.string() }) }, () => ({ text: 5 }));
    const whole = {
      ...spec,
      name: 'length',
      version: '1.0.0',
      title: 'Length',
      domain: 'texts',
      effect: 'read',
      input: z.strictObject({}),
      output: z.strictObject({}),
      errors: {},
      timeoutMs: 1,
      estimatedTokens: 1,
      examples: [{ input: {}, output: {} }],
    } as const;
    expect(defineTool(whole)).toBe(whole);
    // @ts-expect-error aliases are those of the product's own tools
    defineTool({ ...whole, aliases: ['other'] });
  });
});

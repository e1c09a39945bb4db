import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { mostFileBytes } from '#lib/contracts';
import { file, fileSchema, type ToolFile } from './file.js';
import { testTool } from './tested-tool.js';
import { tool } from './tool.js';

const plain = { name: 'a.txt', type: 'text/plain' };
const output = z.object({ pages: z.array(z.object({ front: fileSchema })), cover: fileSchema.optional() });
const spec = { description: 'Make files.', input: z.object({}), output };

describe('a file in the answer of a tool', () => {
  test('may stand anywhere, and one that stands twice is sent once', async () => {
    const one = file('one', plain);
    const pages = tool(spec, () => ({ pages: [{ front: one }, { front: file(Readable.from(['t', 'wo']), plain) }], cover: one }));
    const { files, ...answer } = await testTool(pages, {});
    expect(files).toMatchObject([
      { ...plain, bytes: Buffer.from('one') },
      { ...plain, bytes: Buffer.from('two') },
    ]);
    expect(answer).toMatchObject({
      kind: 'done',
      data: { pages: [{ front: { file_id: 'file_1', size_bytes: 3 } }, { front: { file_id: 'file_2' } }], cover: { file_id: 'file_1' } },
    });
  });

  test('needs no output that says so', async () => {
    const { files, ...answer } = await testTool(
      tool({ description: 'Make one.', input: z.object({}) }, () => file('x', plain)),
      {},
    );
    expect([files.length, answer]).toEqual([1, expect.objectContaining({ data: expect.objectContaining({ filename: 'a.txt' }) })]);
  });

  test('is one of at most 20', async () => {
    const many = tool(spec, () => ({ pages: Array.from({ length: 21 }, () => ({ front: file('x', plain) })) }));
    await expect(testTool(many, {})).rejects.toThrow('at most 20 files');
  });

  test('stands in no step', async () => {
    const stepped = tool(spec, async (_input, { step }) => {
      await step('make', () => file('x', plain));
      return { pages: [] };
    });
    await expect(testTool(stepped, {})).rejects.toThrow('in no step and no output event');
  });
});

test.each<[string, () => ToolFile, RegExp]>([
  ['a wrong type', () => file('x', { ...plain, type: 'text/html\r\nx: y' }), /must be a media type/],
  ['no name', () => file('x', { ...plain, name: '' }), /1 to 255 characters/],
  ['a long name', () => file('x', { ...plain, name: 'x'.repeat(256) }), /1 to 255 characters/],
  ['too many bytes', () => file(Buffer.alloc(mostFileBytes + 1), plain), /has more than 104857600 bytes/],
])('a file with %s is none', (_what, make, message) => {
  expect(make).toThrow(message);
});

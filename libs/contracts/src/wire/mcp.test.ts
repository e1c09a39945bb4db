import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Envelope } from '../envelope.js';
import { toJsonRpcError, toMcpDataResult, toMcpResult, toMcpTask } from './mcp.js';

const metadata = { tool_name: 't', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace_x' };
const done = (data: unknown): Envelope => ({ success: true, status: 'success', data, metadata });

test('the envelope is text and structured content alike', () => {
  const result = toMcpResult(done({ a: 1 }));
  expect(result).toEqual({
    content: [{ type: 'text', text: JSON.stringify(done({ a: 1 })) }],
    structuredContent: done({ a: 1 }),
    isError: false,
  });
});

describe('as data alone', () => {
  test('a result is what the schema of the tool describes, and its text is the same as JSON', () => {
    expect(toMcpDataResult(done({ a: 1, b: 2 }))).toEqual({
      content: [{ type: 'text', text: '{"a":1,"b":2}' }],
      structuredContent: { a: 1, b: 2 },
      isError: false,
      _meta: { 'invoq/call': { trace_id: 'trace_x' } },
    });
  });

  test('the first text block is the JSON of the structured content, whatever the data is', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (data) => {
        const [first] = toMcpDataResult(done(data)).content;
        expect(first?.type === 'text' && JSON.parse(first.text)).toEqual(
          JSON.parse(JSON.stringify(toMcpDataResult(done(data)).structuredContent)),
        );
      }),
    );
  });

  test('a file is its address in the data: no block of a link, and no bytes', () => {
    const { content } = toMcpDataResult(done({ url: 'https://example.com/f', filename: 'a.pdf', content_base64: 'QkFTRTY0' }));
    expect(content).toEqual([{ type: 'text', text: '{"url":"https://example.com/f","filename":"a.pdf"}' }]);
  });

  test('a warning, and what a review would correct, are text that a model reads', () => {
    const metacognition = { checked: true, needs_correction: true, correction: 'The unit is kg.' } as const;
    const { content } = toMcpDataResult({ ...done({}), metadata: { ...metadata, warnings: ['No font has U+0378.'], metacognition } });
    expect(content.slice(1)).toEqual([
      { type: 'text', text: 'Warning: No font has U+0378.' },
      { type: 'text', text: 'Correction: The unit is kg.' },
    ]);
  });

  test.each([[[1, 2]], ['text'], [null], [7]])('%j, which is no object, is the text', (data) => {
    const result = toMcpDataResult(done(data));
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify(data) }]);
    expect(result).not.toHaveProperty('structuredContent');
  });

  test('an error names every fault, and has no content that the schema would not allow', () => {
    const error = {
      code: 'INVALID_PARAMS',
      message: 'Wrong',
      retryable: false,
      hint: 'Mend it.',
      details: [{ path: 'age', message: 'too small' }],
    };
    const result = toMcpDataResult({ success: false, status: 'error', error, metadata });
    expect(result).toMatchObject({ isError: true, content: [{ text: 'INVALID_PARAMS: Wrong. age: too small. Mend it.' }] });
    expect(result).not.toHaveProperty('structuredContent');
  });
});

test('an error is a result, and says so', () => {
  const error = { code: 'TIMEOUT', message: 'late', retryable: true, hint: 'Retry.' };
  expect(toMcpResult({ success: false, status: 'error', error, metadata })).toMatchObject({ isError: true, structuredContent: { error } });
});

test('a file is a link: its bytes never enter a context as text', () => {
  const result = toMcpResult(
    done({ url: 'https://example.com/files/1', filename: 'a.pdf', mime_type: 'application/pdf', content_base64: 'QUJD' }),
  );
  expect(JSON.stringify(result)).not.toContain('QUJD');
  expect(result.content[1]).toEqual({
    type: 'resource_link',
    uri: 'https://example.com/files/1',
    name: 'a.pdf',
    mimeType: 'application/pdf',
  });
});

test('every file in the data is a link, wherever it stands', () => {
  const given = (id: string) => ({
    file_id: id,
    filename: `${id}.pdf`,
    content_type: 'application/pdf',
    url: `https://example.com/files/${id}`,
    content_base64: 'QUJD',
  });
  const result = toMcpResult(done({ pages: [{ front: given('a') }, { back: given('b') }] }));
  expect(JSON.stringify(result)).not.toContain('QUJD');
  expect(result.content.slice(1)).toEqual(
    ['a', 'b'].map((id) => ({
      type: 'resource_link',
      uri: `https://example.com/files/${id}`,
      name: `${id}.pdf`,
      mimeType: 'application/pdf',
    })),
  );
});

test('a picture is a block of its own, and its place in the data tells its size', () => {
  const result = toMcpResult(
    done({
      content: [
        { type: 'text', text: 'see' },
        { type: 'image', data: 'QUJD', mimeType: 'image/png' },
      ],
    }),
  );
  expect(result.content[1]).toEqual({ type: 'image', data: 'QUJD', mimeType: 'image/png' });
  expect(result.structuredContent['data']).toEqual({
    content: [
      { type: 'text', text: 'see' },
      { type: 'image', mimeType: 'image/png', bytes: 3 },
    ],
  });
});

test.each([
  ['waiting', 'working'],
  ['delayed', 'working'],
  ['completed', 'completed'],
  ['failed', 'completed'],
  ['cancelled', 'cancelled'],
] as const)('a job that is %s is a task that is %s', (state, status) => {
  expect(toMcpTask({ jobId: 'inv_x_1', state, createdAt: 0, updatedAt: 1, ttlMs: 5 })).toMatchObject({
    taskId: 'inv_x_1',
    status,
    ttlMs: 5,
  });
});

test('what is no message of the protocol is answered in its form', () => {
  expect(toJsonRpcError({ code: 'UNAUTHORIZED', family: 'UNAUTHORIZED', message: 'no' })).toMatchObject({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_001 },
  });
});

test.each([
  ['a body that is no JSON', [{ path: '', message: 'no JSON' }], -32_700],
  ['a parameter of the query', [{ path: 'domain', message: 'must be of profile' }], -32_600],
  ['a header', undefined, -32_600],
])('%s is refused with the number that JSON-RPC has for it', (_, details, code) => {
  const error = { code: 'INVALID_PARAMS', family: 'INVALID_PARAMS', message: 'no', ...(details && { details }) } as const;
  expect(toJsonRpcError(error)).toMatchObject({ error: { code } });
});

describe('bytes', () => {
  test.each([
    ['AA==', 3],
    ['QUJD', 3],
    ['', 0],
    ['QUJDREVG', 6],
  ])('of %j are told as about %i', (data, bytes) => {
    const result = toMcpResult(done({ content: [{ type: 'audio', data, mimeType: 'audio/mpeg' }] }));
    expect(result.structuredContent['data']).toEqual({ content: [{ type: 'audio', mimeType: 'audio/mpeg', bytes }] });
    expect(result.content[1]).toEqual({ type: 'audio', data, mimeType: 'audio/mpeg' });
  });

  test('never stand in the text, whatever else the answer holds', () => {
    const block = fc.oneof(
      fc.record({ type: fc.constantFrom('image', 'audio'), data: fc.constant('QkFTRTY0'), mimeType: fc.constant('image/png') }),
      fc.record({ type: fc.constant('text'), text: fc.string() }),
    );
    fc.assert(
      fc.property(fc.array(block), (content) => {
        const { content: blocks, structuredContent } = toMcpResult(done({ content, content_base64: 'QkFTRTY0' }));
        expect(JSON.stringify([blocks[0], structuredContent])).not.toContain('QkFTRTY0');
        expect(blocks.length).toBe(1 + content.filter(({ type }) => type !== 'text').length);
      }),
    );
  });

  test('that have no kind stay where they are: they are no picture', () => {
    const content = [{ type: 'image', data: 'x' }];
    expect(toMcpResult(done({ content })).structuredContent['data']).toEqual({ content });
  });
});

describe('a link', () => {
  test('has the name and the kind of its file where they are known', () => {
    expect(toMcpResult(done({ url: 'https://example.com/f' })).content).toEqual([
      expect.objectContaining({ type: 'text' }),
      { type: 'resource_link', uri: 'https://example.com/f', name: 'file' },
    ]);
  });

  test.each([{ url: 'no address' }, { url: 7 }, { link: 'https://example.com' }, null, 'text', [1]])('is not made of %j', (data) => {
    expect(toMcpResult(done(data)).content).toHaveLength(1);
  });
});

test('a task tells its times, its message and how often to ask', () => {
  expect(toMcpTask({ jobId: 'j', state: 'active', message: 'at 20 %', createdAt: 0, updatedAt: 1_000, ttlMs: 5 })).toEqual({
    taskId: 'j',
    status: 'working',
    statusMessage: 'at 20 %',
    createdAt: '1970-01-01T00:00:00.000Z',
    lastUpdatedAt: '1970-01-01T00:00:01.000Z',
    ttlMs: 5,
    pollIntervalMs: 500,
  });
  expect(toMcpTask({ jobId: 'j', state: 'active', createdAt: 0, updatedAt: 0, ttlMs: 5 })).not.toHaveProperty('statusMessage');
});

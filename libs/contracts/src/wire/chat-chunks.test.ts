import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Outcome } from '../envelope.js';
import type { ChatDialect } from '../agent/chat-mode.js';
import type { InputRequest } from '../console/inputs.js';
import { ChatChunks } from './chat-chunks.js';

const log: readonly unknown[] = [
  { type: 'thinking', iteration: 1 },
  { type: 'content', content: 'Let me ' },
  { type: 'content', content: 'look.' },
  { type: 'tool_call', id: 'c1', name: 'use_skill', arguments: { skills: ['bazi'], topic: 'self' } },
  { type: 'step', iteration: 1, finish_reason: 'tool-calls', usage: { input_tokens: 1, output_tokens: 1 } },
  { type: 'tool_result', id: 'c1', name: 'use_skill', result: { status: 'success' } },
  { type: 'thinking', iteration: 2 },
  { type: 'content', content: 'Here.' },
  { type: 'step', iteration: 2, finish_reason: 'stop', usage: { input_tokens: 1, output_tokens: 1 } },
];
const done: Outcome = { ok: true, data: { content: 'Let me look.Here.', finish_reason: 'stop' } };

function chunks(dialect: ChatDialect, outcome: Outcome, entries = log) {
  const facts = { dialect, messageId: 'msg_1', conversationId: 'c', traceId: 't', tier: 'free' } as const;
  const translation = new ChatChunks(facts);
  const frames = [...translation.begin(), ...entries.flatMap((entry) => translation.of(entry)), ...translation.end(outcome)];
  return frames.map(({ event, data }) => ({ ...(event && { event }), ...(data === '[DONE]' ? { done: true } : JSON.parse(data)) }));
}

test('the job of a call comes beside its result', () => {
  const result = { type: 'tool_result', id: 'c1', name: 'get_weather', result: {}, job_id: 'inv_1' };
  expect(chunks('ai-sdk', done, [result]).slice(1, 3)).toEqual([
    { type: 'tool-output-available', toolCallId: 'c1', output: {} },
    { type: 'data-run', id: 'c1', data: { toolCallId: 'c1', jobId: 'inv_1' } },
  ]);
});

describe('a call that rests', () => {
  const rest = { type: 'tool_rest', id: 'c1', name: 'order', job_id: 'inv_1', input_request: 'req_1', until: 1 } as const;
  const request: InputRequest = {
    id: 'req_1',
    kind: 'approval',
    job_id: 'inv_1',
    tool_name: 'order',
    message: 'May it?',
    schema: null,
    arguments: {},
    requested_by: 't/u',
    created_at: '2026-01-01T00:00:00.000Z',
    expires_at: '2026-01-02T00:00:00.000Z',
    state: 'open',
    decided_by: null,
    decided_at: null,
    reason: null,
  };
  const declined = { type: 'tool_result', id: 'c1', name: 'order', result: { status: 'error' }, declined: true };
  const typesOf = (translation: ChatChunks, asked = request, mayAccept = true) => [
    ...translation.of(rest).map(typeIn),
    ...translation.asks(rest, { request: asked, mayAccept }).map(typeIn),
    ...translation.of(declined).map(typeIn),
  ];
  const typeIn = ({ data }: { readonly data: string }): unknown => JSON.parse(data).type;
  const open = (more: object = {}) =>
    new ChatChunks({ dialect: 'ai-sdk', messageId: 'm', conversationId: 'c', traceId: 't', tier: 'free', asksApproval: true, ...more });

  test('is put to a reader who may approve it, and denied in the words of the AI SDK', () => {
    expect(typesOf(open())).toEqual(['data-input-request', 'tool-approval-request', 'tool-output-denied']);
    const frames = open().asks(rest, { request, mayAccept: true });
    expect(frames.map(({ data }) => JSON.parse(data))).toMatchObject([
      { id: 'req_1', data: { kind: 'approval', toolCallId: 'c1', jobId: 'inv_1', message: 'May it?', state: 'open', mayAccept: true } },
      { approvalId: 'req_1', toolCallId: 'c1' },
    ]);
  });

  test.each([
    ['to an older reader', open({ asksApproval: false }), request, true],
    ['to one who may not decide', open(), request, false],
    ['once it is decided', open(), { ...request, state: 'accepted' as const }, true],
    ['where more is asked for than a yes', open(), { ...request, kind: 'question' as const, schema: { required: ['count'] } }, true],
  ])('is told, and not put, %s', (_whom, translation, asked, mayAccept) => {
    expect(typesOf(translation, asked, mayAccept)).toEqual(['data-input-request', 'tool-output-available']);
  });

  test('that an outside server asks for an address is told with it, and a yes alone is not asked for', () => {
    const params = { mode: 'url' as const, message: 'Pay', url: 'https://shop.example/pay' };
    const asked = { ...request, kind: 'question' as const, schema: {}, request: { method: 'elicitation/create' as const, params } };
    const frames = open().asks(rest, { request: asked, mayAccept: true });
    expect(frames.map(({ data }) => JSON.parse(data))).toMatchObject([
      { type: 'data-input-request', data: { kind: 'question', address: 'https://shop.example/pay', mayAccept: true } },
    ]);
    expect(JSON.parse(frames[0]?.data ?? '').data).not.toHaveProperty('url');
  });

  test('that was answered in an earlier stream is denied in this one', () => {
    expect(
      open({ answered: ['c1'] })
        .of(declined)
        .map(typeIn),
    ).toEqual(['tool-output-denied']);
  });

  test('ends the stream, with every step closed', () => {
    const translation = open();
    translation.of({ type: 'thinking', iteration: 1 });
    translation.of({ type: 'content', content: 'x' });
    expect(translation.rests().map(({ data }) => (data === '[DONE]' ? data : typeIn({ data })))).toEqual([
      'text-end',
      'finish-step',
      'finish',
      '[DONE]',
    ]);
  });
});

describe('the chunks of the AI SDK', () => {
  test('open and close every step and every text, and carry no field of ours', () => {
    expect(chunks('ai-sdk', done)).toEqual([
      { type: 'start', messageId: 'msg_1', messageMetadata: { conversationId: 'c', traceId: 't' } },
      { type: 'start-step' },
      { type: 'data-thinking', data: { iteration: 1 }, transient: true },
      { type: 'text-start', id: 'text-1' },
      { type: 'text-delta', id: 'text-1', delta: 'Let me ' },
      { type: 'text-delta', id: 'text-1', delta: 'look.' },
      { type: 'text-end', id: 'text-1' },
      { type: 'tool-input-available', toolCallId: 'c1', toolName: 'use_skill', input: { skills: ['bazi'], topic: 'self' } },
      { type: 'tool-output-available', toolCallId: 'c1', output: { status: 'success' } },
      { type: 'finish-step' },
      { type: 'start-step' },
      { type: 'data-thinking', data: { iteration: 2 }, transient: true },
      { type: 'text-start', id: 'text-2' },
      { type: 'text-delta', id: 'text-2', delta: 'Here.' },
      { type: 'text-end', id: 'text-2' },
      { type: 'finish-step' },
      { type: 'finish', finishReason: 'stop' },
      { done: true },
    ]);
  });

  test('tell an error as their own kind of chunk, after closing what was open', () => {
    const failed: Outcome = {
      ok: false,
      error: { code: 'EXECUTION_ERROR', family: 'EXECUTION_ERROR', native_code: 'agent-error', message: 'm' },
    };
    expect(chunks('ai-sdk', failed, log.slice(0, 3)).slice(-4)).toEqual([
      { type: 'text-end', id: 'text-1' },
      { type: 'finish-step' },
      { type: 'error', errorText: '{"type":"agent-error","message":"m","tier":"free"}' },
      { done: true },
    ]);
  });

  test('tell a stop as an abort', () => {
    const stopped: Outcome = { ok: false, error: { code: 'CANCELLED', family: 'CANCELLED', message: 'stopped' } };
    expect(chunks('ai-sdk', stopped, log.slice(0, 1)).slice(-2)).toEqual([{ type: 'abort', reason: 'stopped' }, { done: true }]);
  });
});

describe('the chunks of the source document', () => {
  test('carry its textDelta and end with finish', () => {
    const all = chunks('source', done);
    expect(all.filter(({ type }) => type === 'text-delta').map(({ textDelta }) => textDelta)).toEqual(['Let me ', 'look.', 'Here.']);
    expect(all.at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
  });

  test.each([
    [{ code: 'QUOTA_EXCEEDED', family: 'QUOTA_EXCEEDED', message: 'm' }, 'quota_exceeded'],
    [{ code: 'NETWORK_ERROR', family: 'NETWORK_ERROR', message: 'm' }, 'internal_error'],
    [{ code: 'TIMEOUT', family: 'TIMEOUT', native_code: 'agent-error', message: 'm' }, 'agent-error'],
  ] as const)('tell %j as the event error of the type %s', (error, type) => {
    expect(chunks('source', { ok: false, error }, []).at(-1)).toEqual({ event: 'error', type, message: 'm', tier: 'free' });
  });
});

describe('over any log of a turn, cut anywhere', () => {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const entry = fc.oneof(
    fc.record({ type: fc.constant('thinking'), iteration: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ type: fc.constant('content'), content: fc.string() }),
    fc.record({ type: fc.constant('tool_call'), id: fc.string(), name: fc.string(), arguments: fc.constant({}) }),
    fc.record({ type: fc.constant('tool_result'), id: fc.string(), name: fc.string(), result: fc.constant({}) }),
    fc.record({
      type: fc.constant('step'),
      iteration: fc.integer({ min: 1, max: 9 }),
      finish_reason: fc.constant('stop'),
      usage: fc.constant(usage),
    }),
  );
  const ends: readonly Outcome[] = [
    done,
    { ok: false, error: { code: 'CANCELLED', family: 'CANCELLED', message: 'stopped' } },
    { ok: false, error: { code: 'TIMEOUT', family: 'TIMEOUT', message: 'late' } },
  ];

  test('every text and every step that is opened is closed before the end, and never twice', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), fc.constantFrom(...ends), (entries, outcome) => {
        let text: string | null = null;
        let isInStep = false;
        for (const chunk of chunks('ai-sdk', outcome, entries)) {
          if (chunk.type === 'text-start') {
            expect(text).toBeNull();
            text = chunk.id;
          }
          if (chunk.type === 'text-delta') expect(chunk.id).toBe(text);
          if (chunk.type === 'text-end') {
            expect(chunk.id).toBe(text);
            text = null;
          }
          if (chunk.type === 'start-step') {
            expect(isInStep).toBe(false);
            isInStep = true;
          }
          if (chunk.type === 'finish-step') {
            expect([isInStep, text]).toEqual([true, null]);
            isInStep = false;
          }
        }
        expect([isInStep, text]).toEqual([false, null]);
      }),
    );
  });

  test('no text is lost, and ids of texts are all different', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 20 }), fc.constantFrom<ChatDialect>('source', 'ai-sdk'), (entries, dialect) => {
        const all = chunks(dialect, done, entries);
        const told = all.filter(({ type }) => type === 'text-delta').map(({ delta }) => delta);
        expect(told).toEqual(entries.flatMap((one) => (one.type === 'content' ? [one.content] : [])));
        const ids = all.filter(({ type }) => type === 'text-start').map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
      }),
    );
  });

  test('a frame is one line of a stream', () => {
    const translation = new ChatChunks({ dialect: 'source', messageId: 'm', conversationId: 'c', traceId: 't', tier: 'free' });
    for (const { data } of translation.of({ type: 'content', content: 'a\r\nb\n\ndata: c' })) expect(data).not.toMatch(/[\r\n]/);
  });
});

test.each(['stop', 'length', 'content-filter', 'tool-calls', 'error', 'other'])('a turn that ended with %s says so', (finish_reason) => {
  expect(chunks('source', { ok: true, data: { finish_reason } }, []).at(-1)).toEqual({ type: 'finish', finishReason: finish_reason });
});

test.each([null, {}, { finish_reason: 'bored' }, 'text'])('a turn that ended with %j just stopped', (data) => {
  expect(chunks('source', { ok: true, data }, []).at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
});

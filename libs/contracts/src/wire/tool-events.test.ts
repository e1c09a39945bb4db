import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Outcome } from '../envelope.js';
import { toAgentEnd, toAgentEvent } from './agent-events.js';
import { eventId, parseEventId, toEndEvent, toSingleEvent, toToolEvent } from './tool-events.js';
import { toEnvelope } from './unified.js';

const job = `inv_profile_${'a'.repeat(32)}`;
const facts = { toolName: 'calc_metrics', traceId: 'trace_20260101_abcdefabcdef', timestamp: 0 };
const stream = { jobId: job, toolName: 'calc_metrics', traceId: facts.traceId };
const metadata = { tool_name: 'calc_metrics', timestamp: '1970-01-01T00:00:00.000Z', trace_id: facts.traceId };
const done: Outcome = { ok: true, data: { a: 1 } };
const failed: Outcome = { ok: false, error: { code: 'TIMEOUT', family: 'TIMEOUT', message: 'late' } };

describe('the id of an event', () => {
  const jobs = fc
    .tuple(fc.stringMatching(/^[a-z0-9-]{1,40}$/), fc.stringMatching(/^[0-9a-f]{32}$/))
    .map(([domain, random]) => `inv_${domain}_${random}`);

  test('leads back to its job and its place in the log', () => {
    fc.assert(
      fc.property(jobs, fc.integer({ min: 0, max: 999_999_999 }), (jobId, seq) => {
        expect(parseEventId(eventId(jobId, seq))).toEqual({ jobId, seq });
      }),
    );
  });

  test('of any other form leads nowhere', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(parseEventId(text)).toBeNull()));
  });

  test.each([
    '',
    '*',
    '$',
    '0-0',
    '../',
    'evt_',
    `evt_profile_${'a'.repeat(32)}`,
    `evt_profile_${'a'.repeat(32)}_`,
    `evt_profile_${'a'.repeat(32)}_-1`,
    `evt_profile_${'a'.repeat(32)}_1.5`,
    `evt_profile_${'a'.repeat(32)}_1e3`,
    `evt_profile_${'a'.repeat(32)}_1000000000`,
    `evt_profile_${'a'.repeat(32)}_1\n`,
    ` evt_profile_${'a'.repeat(32)}_1`,
    `evt_profile_${'a'.repeat(31)}_1`,
    `evt_profile_${'A'.repeat(32)}_1`,
    `evt_pro*file_${'a'.repeat(32)}_1`,
    `evt_${'d'.repeat(41)}_${'a'.repeat(32)}_1`,
    `EVT_profile_${'a'.repeat(32)}_1`,
    `inv_profile_${'a'.repeat(32)}_1`,
  ])('%j leads nowhere', (text) => {
    expect(parseEventId(text)).toBeNull();
  });
});

describe('an entry of the log', () => {
  test('is a progress event', () => {
    expect(toToolEvent({ kind: 'progress', progress: 20, message: 'm', seq: 2, at: 0 }, stream)).toEqual({
      event: 'tool_progress',
      id: eventId(job, 2),
      data: { progress: 20, message: 'm', metadata },
    });
  });

  test('is a retry event, without the kind of failure, which is ours', () => {
    const error = { code: 'TIMEOUT', message: 'late' };
    const entry = { kind: 'retry', failure: 'timeout', retry: 1, maxRetries: 2, delayMs: 200, error, seq: 3, at: 0 } as const;
    expect(toToolEvent(entry, stream)).toEqual({
      event: 'tool_retrying',
      id: eventId(job, 3),
      data: { retry_count: 1, max_retries: 2, delay_ms: 200, error, metadata },
    });
  });
});

describe('the last event of a stream', () => {
  test('is the whole envelope, named by its outcome', () => {
    for (const [outcome, event] of [
      [done, 'tool_result'],
      [failed, 'tool_error'],
    ] as const)
      expect(toEndEvent('evt_x', toEnvelope(outcome, facts))).toEqual({ event, id: 'evt_x', data: toEnvelope(outcome, facts) });
  });

  test('of a call that never became a job has an id that resumes nothing', () => {
    for (const outcome of [done, failed]) expect(parseEventId(toSingleEvent(outcome, facts).id)).toBeNull();
    expect(toSingleEvent(done, facts).id).toBe(`evt_${facts.traceId}_result`);
  });
});

describe('the events of a turn', () => {
  const entry = (data: unknown) => ({ kind: 'output', data, seq: 4, at: 0 }) as const;

  test.each([
    [{ type: 'thinking', iteration: 1 }, { iteration: 1 }],
    [{ type: 'content', content: '你好' }, { content: '你好' }],
    [
      { type: 'tool_call', id: 'c', name: 'n', arguments: { a: 1 } },
      { id: 'c', name: 'n', arguments: { a: 1 } },
    ],
    [
      { type: 'tool_result', id: 'c', name: 'n', result: {} },
      { id: 'c', name: 'n', result: {} },
    ],
  ])('%j is an event of its type', (output, data) => {
    expect(toAgentEvent(job, entry(output))).toEqual({ event: output.type, id: eventId(job, 4), data });
  });

  test('say nothing of steps, progress and ends, which are no events of the document', () => {
    const usage = { input_tokens: 1, output_tokens: 1 };
    expect(toAgentEvent(job, entry({ type: 'step', iteration: 1, finish_reason: 'stop', usage }))).toBeNull();
    expect(toAgentEvent(job, { kind: 'progress', progress: 1, message: 'm', seq: 1, at: 0 })).toBeNull();
    expect(toAgentEvent(job, { kind: 'end', seq: 1, at: 0 })).toBeNull();
  });

  test('end with done and its text, or with error', () => {
    expect(toAgentEnd('evt_x', { ok: true, data: { content: 'Hi.' } })).toEqual({ event: 'done', id: 'evt_x', data: { content: 'Hi.' } });
    for (const data of [null, 'x', {}, { content: 7 }]) expect(toAgentEnd('evt_x', { ok: true, data }).data).toEqual({ content: '' });
    expect(toAgentEnd('evt_x', failed)).toEqual({ event: 'error', id: 'evt_x', data: { error: 'late' } });
  });

  test('that no turn made are refused', () => {
    for (const data of [null, {}, { type: 'done' }, { type: 'thinking', iteration: 0 }, { type: 'content' }])
      expect(() => toAgentEvent(job, entry(data))).toThrow();
  });
});

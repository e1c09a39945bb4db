import { describe, expect, test } from '@jest/globals';
import type { AgentOutput } from '#lib/contracts';
import { replayLog, hasReached, isAnswered, withUniqueIds, type Step } from './step.js';

const usage = { input_tokens: 3, output_tokens: 2 };
const call = (id: string) => ({ id, name: 'use_skill', arguments: {} });
const step = (...ids: readonly string[]): Step => ({
  text: 't',
  calls: ids.map(call),
  results: [],
  rests: [],
  finishReason: 'stop',
  usage,
});
const ended = (iteration: number): AgentOutput => ({ type: 'step', iteration, finish_reason: 'tool-calls', usage });
const called = (id: string): AgentOutput => ({ type: 'tool_call', ...call(id) });
const result = (id: string) => ({ type: 'tool_result', id, name: 'use_skill', result: { status: 'success' } }) as const;

describe('a run stops', () => {
  test('when the model has asked for no tool, and not before it was asked', () => {
    expect(isAnswered([])).toBe(false);
    expect(isAnswered([step('a')])).toBe(false);
    expect(isAnswered([step('a'), step()])).toBe(true);
  });

  test('when all calls that are allowed have been made', () => {
    expect([0, 1, 2, 3].map((count) => hasReached(2)(Array.from({ length: count }, () => step('a'))))).toEqual([false, false, true, true]);
  });
});

describe('a log that is read back', () => {
  test('gives finished steps with the results that are there', () => {
    const log = [
      { type: 'thinking', iteration: 1 },
      { type: 'content', content: 'Hm. ' },
      called('a'),
      called('b'),
      ended(1),
      result('b'),
    ] as const;
    expect(replayLog(log)).toEqual({
      steps: [{ text: 'Hm. ', calls: [call('a'), call('b')], results: [result('b')], rests: [], finishReason: 'tool-calls', usage }],
      isThinking: false,
      isCutOff: false,
    });
  });

  test('has what calls rest for, beside those that have a result', () => {
    const rest = { type: 'tool_rest', id: 'a', name: 'use_skill', job_id: 'j', input_request: 'r', until: 1 } as const;
    const log = [{ type: 'thinking', iteration: 1 }, called('a'), called('b'), ended(1), result('b'), rest] as const;
    expect(replayLog(log)).toMatchObject({ steps: [{ results: [result('b')], rests: [rest] }], isThinking: false });
  });

  test('tells a call of the model that has said nothing from one that was cut off between two words', () => {
    const log = [{ type: 'thinking', iteration: 1 }, called('a'), ended(1), result('a'), { type: 'thinking', iteration: 2 }] as const;
    expect(replayLog([])).toEqual({ steps: [], isThinking: false, isCutOff: false });
    expect(replayLog(log)).toMatchObject({ steps: [{ results: [result('a')] }], isThinking: true, isCutOff: false });
    expect(replayLog([...log, { type: 'content', content: 'Well' }])).toMatchObject({ isThinking: true, isCutOff: true });
  });
});

test('ids that a model uses twice, or leaves out, are told apart', () => {
  const calls = ['a', '', 'b', 'b', ''].map(call);
  expect(withUniqueIds(calls, [step('a')]).map(({ id }) => id)).toEqual(['a-2', 'call', 'b', 'b-2', 'call-2']);
});

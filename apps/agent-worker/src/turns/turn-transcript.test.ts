import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AgentOutput } from '#lib/contracts';
import { TurnTranscript } from './turn-transcript.js';

const usage = { input_tokens: 3, output_tokens: 2 };
const thinking: AgentOutput = { type: 'thinking', iteration: 1 };
const content = (text: string): AgentOutput => ({ type: 'content', content: text });
const call: AgentOutput = { type: 'tool_call', id: 'a', name: 'look_up', arguments: {} };
const step: AgentOutput = { type: 'step', iteration: 1, finish_reason: 'tool-calls', usage };
const result = { type: 'tool_result', id: 'a', name: 'look_up', result: {} } as const;

function transcriptOf(...outputs: readonly AgentOutput[]): TurnTranscript {
  const transcript = new TurnTranscript([]);
  for (const output of outputs) transcript.add(output);
  return transcript;
}

test.each([
  ['nothing', [], true],
  ['the announcement of a call', [thinking], true],
  ['a word', [thinking, content('Hm')], false],
  ['a tool call', [thinking, call], false],
] as const)('the user has seen of %s an answer: it is empty: %s', (...row) => {
  const [, outputs, isEmpty] = row;
  expect(transcriptOf(...outputs).isEmpty).toBe(isEmpty);
  expect(new TurnTranscript(outputs).isEmpty).toBe(isEmpty);
});

test('a turn that rests has a result for each call that waits: later turns know of it', () => {
  const rest = { type: 'tool_rest', id: 'b', name: 'order', job_id: 'inv_1', input_request: 'req_1', until: 0 } as const;
  const other: AgentOutput = { type: 'tool_call', id: 'b', name: 'order', arguments: {} };
  const { state, content: text, steps } = transcriptOf(thinking, content('I order.'), call, other, step, rest, result).atRest();
  expect({ state, text }).toEqual({ state: 'stopped', text: 'I order.' });
  expect(steps).toMatchObject([
    {
      results: [
        result,
        { type: 'tool_result', id: 'b', name: 'order', result: { status: 'waiting', input_request: 'req_1' }, job_id: 'inv_1' },
      ],
    },
  ]);
});

describe('an early end', () => {
  test('has the complete steps, and the text of the one that was cut off', () => {
    expect(transcriptOf(thinking, content('First. '), call, step, result, thinking, content('Sec')).earlyEnd('stopped')).toMatchObject({
      state: 'stopped',
      content: 'First. Sec',
      steps: [
        { text: 'First. ', calls: [{ id: 'a' }], results: [result] },
        { text: 'Sec', calls: [], results: [] },
      ],
    });
  });

  test('leaves out tool calls of a step that was cut off: their results will never come', () => {
    expect(transcriptOf(thinking, content('Hm. '), call).earlyEnd('failed').steps).toMatchObject([{ text: 'Hm. ', calls: [] }]);
    expect(transcriptOf(thinking, call).earlyEnd('failed').steps).toEqual([]);
  });

  test('has the same text in its steps as in its content, wherever the turn was cut off', () => {
    const output = fc.oneof(fc.string().map(content), fc.constantFrom<AgentOutput>(thinking, call, step));
    fc.assert(
      fc.property(fc.array(output, { maxLength: 20 }), (outputs) => {
        // A call of the model begins with its announcement; what it had said before is in its step.
        const log = outputs.flatMap((one): AgentOutput[] => (one.type === 'thinking' ? [step, one] : [one]));
        const end = transcriptOf(...log).earlyEnd('failed');
        expect(end.steps.map(({ text }) => text).join('')).toBe(end.content);
      }),
    );
  });
});

test('usage is that of an earlier run and of this one', () => {
  const transcript = new TurnTranscript([thinking, step, thinking, step]);
  transcript.addUsage({ input_tokens: 10, output_tokens: 1 });
  expect(transcript.usage).toEqual({ input_tokens: 16, output_tokens: 5 });
  expect(transcript.earlyEnd('failed').usage).toEqual({ input_tokens: 16, output_tokens: 5 });
});

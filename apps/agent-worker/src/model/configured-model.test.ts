import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { agentSettings } from '../config.js';
import { Pace } from '../pace.js';
import { configureModel } from './configured-model.js';

const {
  MODEL,
  MODEL_BASE_URL,
  MODEL_API_KEY,
  MODEL_TOOL_CHOICE,
  MODEL_PARALLEL_TOOL_CALLS,
  MODEL_MAX_OUTPUT_TOKENS,
  MODEL_STARTS_IN_REASONING,
  MODEL_PRICES,
} = agentSettings;
const settings = z.object({
  MODEL,
  MODEL_BASE_URL,
  MODEL_API_KEY,
  MODEL_TOOL_CHOICE,
  MODEL_PARALLEL_TOOL_CALLS,
  MODEL_MAX_OUTPUT_TOKENS,
  MODEL_STARTS_IN_REASONING,
  MODEL_PRICES,
});
const configure = (env: Readonly<Record<string, string>> = {}) => configureModel(settings.parse(env), new Pace());

test('without MODEL the offline rules answer, with the defaults of a model', () => {
  const { model, ...rest } = configure();
  expect(model.provider).toBe('offline');
  expect(rest).toEqual({
    toolChoice: { type: 'auto' },
    maxOutputTokens: 4_096,
    startsInReasoning: false,
    providerOptions: {},
    priceOf: null,
  });
});

test.each([
  ['auto', { type: 'auto' }],
  ['required', { type: 'required' }],
  ['name:use_skill', { type: 'tool', toolName: 'use_skill' }],
])('MODEL_TOOL_CHOICE=%s', (choice, toolChoice) => {
  expect(configure({ MODEL_TOOL_CHOICE: choice }).toolChoice).toEqual(toolChoice);
});

test.each(['any', 'name:', 'name:Bad-Name', `name:${'a'.repeat(65)}`])(
  'MODEL_TOOL_CHOICE=%s is refused with what would be right',
  (choice) => {
    expect(() => configure({ MODEL_TOOL_CHOICE: choice })).toThrow('must be auto, required or name:<tool>');
  },
);

test('a model that may call one tool at a time is told so in the words of each provider', () => {
  expect(configure({ MODEL_PARALLEL_TOOL_CALLS: 'false' }).providerOptions).toEqual({
    openai: { parallelToolCalls: false },
    anthropic: { disableParallelToolUse: true },
    compatible: { parallel_tool_calls: false },
  });
});

test('a missing setting is named', () => {
  expect(() => configure({ MODEL: 'openai:gpt-x' })).toThrow('MODEL_API_KEY');
});

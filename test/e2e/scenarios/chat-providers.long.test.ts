import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import { startTimeoutMs, type HttpCaller } from '#lib/testing';
import { chat, scripted, startChatSystem, type ChatSystem } from '../chat-system.js';
import { verifies } from '../verifies.js';

const providers = [
  {
    name: 'openai',
    env: { MODEL: 'openai:gpt-scripted', MODEL_TOOL_CHOICE: 'name:use_skill', MODEL_PARALLEL_TOOL_CALLS: 'false' },
    first: {
      model: 'gpt-scripted',
      stream: true,
      parallel_tool_calls: false,
      tool_choice: { type: 'function', function: { name: 'use_skill' } },
    },
    second: { tool_choice: 'auto' },
  },
  {
    name: 'anthropic',
    env: { MODEL: 'anthropic:claude-scripted', MODEL_TOOL_CHOICE: 'required', MODEL_PARALLEL_TOOL_CALLS: 'false' },
    first: { model: 'claude-scripted', stream: true, tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    second: { tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
  },
  {
    name: 'compatible',
    env: { MODEL: 'some/local-model', MODEL_TOOL_CHOICE: 'required', MODEL_PARALLEL_TOOL_CALLS: 'false' },
    first: { model: 'some/local-model', stream: true, tool_choice: 'required', parallel_tool_calls: false },
    second: { tool_choice: 'auto' },
  },
] as const;

describe.each(providers)('a model of $name', ({ env, first, second }) => {
  let lab: ChatSystem;
  let user: HttpCaller;

  beforeAll(async () => {
    lab = await startChatSystem({ agentEnv: env });
    user = await lab.system.caller();
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  verifies(
    ['TU-85', 'VL-09', 'VL-12'],
    'is asked in its own words, tool choice and parallel calls included, and answers with tools and text',
    async () => {
      const message = scripted(
        lab.model,
        {
          text: 'One moment. ',
          calls: [{ name: 'use_skill', arguments: { skills: ['zodiac'], topic: 'self' } }],
          usage: { input: 1_000, output: 10 },
        },
        { text: ['Here ', 'it ', 'is.'], usage: { input: 2_000, output: 20 } },
      );
      const said = await chat(user, { message });
      expect(said.text).toBe('One moment. Here it is.');
      expect(said.chunks.find(({ type }) => type === 'tool-output-available')).toMatchObject({ output: { status: 'success' } });
      const [one, two] = lab.model.asked(message);
      expect(one?.body).toMatchObject(first);
      expect(two?.body).toMatchObject(second);
      expect(two?.texts.join()).toContain('<tool_result>');
      expect(JSON.stringify(one?.headers)).toContain('key-of-the-provider');
      expect((await user.get('/chat/v5/quota')).body).toMatchObject({ tokens: { used: 3_030 } });
      const malformed = scripted(lab.model, { calls: [{ name: 'use_skill', arguments: '{"skills": [' }] }, { text: 'Sorry.' });
      expect((await chat(user, { message: malformed })).text).toBe('Sorry.');
      const refused = await chat(user, { message: scripted(lab.model, { text: '', finish: 'refusal' }) });
      expect(refused.error).toMatchObject({ type: 'agent-error', message: 'The model declined to answer this message' });
      const dead = await chat(user, { message: scripted(lab.model, { text: ['half ', 'of it'], diesAfter: 1 }) });
      expect([dead.text, dead.error]).toEqual(['half ', expect.objectContaining({ type: 'agent-error' })]);
    },
  );
});

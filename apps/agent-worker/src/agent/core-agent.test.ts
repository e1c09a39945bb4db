import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { describe, expect, test } from '@jest/globals';
import type { AgentOutput } from '#lib/contracts';
import { CoreAgent, type AgentContext, type Toolbox } from './core-agent.js';

interface Reply {
  readonly text?: string;
  readonly calls?: readonly string[];
}

const context: AgentContext = { userId: 'u', userTier: 'free', profile: {}, skillData: {}, history: [] };
const usage = { inputTokens: { total: 2, noCache: 2, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };

/** An agent whose model answers as it is told, the last answer again and again, and a tool that notes what runs. */
function agentOf(replies: readonly Reply[], maxIterations?: number) {
  const asked: LanguageModelV4CallOptions[] = [];
  const ran: string[] = [];
  const model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'test',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('streams only')),
    doStream: async (options) => {
      const { text = '', calls = [] } = replies[Math.min(asked.push(options), replies.length) - 1] ?? {};
      const parts: LanguageModelV4StreamPart[] = [
        ...(text ? [{ type: 'text-delta', id: '1', delta: text } as const] : []),
        ...calls.map((name) => ({ type: 'tool-call', toolCallId: `${name}-${asked.length}`, toolName: name, input: '{}' }) as const),
        { type: 'finish', usage, finishReason: { unified: calls.length > 0 ? 'tool-calls' : 'stop', raw: undefined } },
      ];
      return { stream: ReadableStream.from(parts) };
    },
  };
  const toolbox: Toolbox = {
    systemPrompt: async (_, steps) => `after ${steps.length}`,
    tools: async () => [{ type: 'function', name: 'look', description: 'Look', inputSchema: { type: 'object' } }],
    run: async (call) => (ran.push(call.id), { result: { of: call.id } }),
  };
  const configured = {
    model,
    toolChoice: { type: 'required' },
    maxOutputTokens: 10,
    startsInReasoning: false,
    providerOptions: {},
    priceOf: null,
  } as const;
  const parts = { model: configured, toolbox, signal: new AbortController().signal, idleTimeoutMs: 5_000, resultCharacters: 24_000 };
  return { agent: new CoreAgent({ ...parts, ...(maxIterations !== undefined && { maxIterations }) }), asked, ran };
}

async function runOf(agent: CoreAgent, earlier?: readonly AgentOutput[]) {
  const run = agent.run('m', context, earlier);
  const outputs: AgentOutput[] = [];
  let next = await run.next();
  for (; !next.done; next = await run.next()) outputs.push(next.value);
  return { outputs, result: next.value };
}

describe('the agent', () => {
  test('asks the model, runs all its calls, and asks again until it has answered', async () => {
    const { agent, asked, ran } = agentOf([{ text: 'Hm. ', calls: ['look', 'look'] }, { text: 'Well.' }]);
    const { outputs, result } = await runOf(agent);
    expect(outputs.map(({ type }) => type).join(' ')).toBe(
      'thinking content tool_call tool_call step tool_result tool_result thinking content step',
    );
    expect(ran).toEqual(['look-1', 'look-1-2']);
    expect(result).toMatchObject({
      content: 'Hm. Well.',
      finishReason: 'stop',
      iterations: 2,
      usage: { input_tokens: 4, output_tokens: 2 },
    });
    expect(asked.map(({ prompt }) => prompt.map(({ role }) => role))).toEqual([
      ['system', 'user'],
      ['system', 'user', 'assistant', 'tool'],
    ]);
    expect(asked.map(({ toolChoice }) => toolChoice?.type)).toEqual(['required', 'auto']);
  });

  test.each([
    [undefined, 10],
    [3, 3],
    [1, 1],
  ])(
    'with a limit of %s calls the model %i times, the last time without tools, and does nothing that it still asks for',
    async (limit, most) => {
      const { agent, asked, ran } = agentOf([{ text: 'Again. ', calls: ['look'] }], limit);
      const { result, outputs } = await runOf(agent);
      expect(asked).toHaveLength(most);
      expect(asked.map(({ toolChoice }) => toolChoice?.type === 'none')).toEqual(asked.map((_, at) => at === most - 1));
      expect(ran).toHaveLength(most - 1);
      expect(result.iterations).toBe(most);
      expect(outputs.at(-1)?.type).toBe('step');
    },
  );

  test('has failed when the last call that is allowed gives no word', async () => {
    await expect(runOf(agentOf([{ calls: ['look'] }], 2).agent)).rejects.toThrow('The model gave no answer');
  });

  test('goes on where an earlier run was cut off: open calls are run, the others are not run again', async () => {
    const { agent, asked, ran } = agentOf([{ text: 'Done.' }]);
    const earlier: AgentOutput[] = [
      { type: 'thinking', iteration: 1 },
      { type: 'tool_call', id: 'x', name: 'look', arguments: {} },
      { type: 'tool_call', id: 'y', name: 'look', arguments: {} },
      { type: 'step', iteration: 1, finish_reason: 'tool-calls', usage: { input_tokens: 1, output_tokens: 1 } },
      { type: 'tool_result', id: 'y', name: 'look', result: { of: 'y' } },
    ];
    const { outputs, result } = await runOf(agent, earlier);
    expect(ran).toEqual(['x']);
    expect(asked).toHaveLength(1);
    expect(outputs.map(({ type }) => type)).toEqual(['tool_result', 'thinking', 'content', 'step']);
    // In the order in which they were asked for, whichever came first.
    expect(result.steps[0]?.results.map(({ id }) => id)).toEqual(['x', 'y']);
  });

  test('does not announce again what an earlier run has announced, and cannot go on between two words', async () => {
    const announced: AgentOutput = { type: 'thinking', iteration: 1 };
    expect((await runOf(agentOf([{ text: 'Done.' }]).agent, [announced])).outputs.map(({ type }) => type)).toEqual(['content', 'step']);
    await expect(runOf(agentOf([{ text: 'Done.' }]).agent, [announced, { type: 'content', content: 'Ha' }])).rejects.toThrow('cut off');
  });
});

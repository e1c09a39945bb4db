import Anthropic from '@anthropic-ai/sdk';
import { model, questions } from './task.mjs';
import { callTool, definitions } from './tools-door.mjs';

const anthropic = new Anthropic({ apiKey: 'none', baseURL: model });
const tools = await definitions('anthropic');
for (const { text } of questions) {
  const messages = [{ role: 'user', content: text }];
  for (;;) {
    const { content } = await anthropic.messages.create({ model: 'stub', max_tokens: 100, messages, tools });
    messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    if (calls.length === 0) break;
    const results = calls.map(async ({ id, name, input }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: await callTool(name, input),
    }));
    messages.push({ role: 'user', content: await Promise.all(results) });
  }
}

import { mcp } from '@llamaindex/tools';
import { OpenAI } from '@llamaindex/openai';
import { headers, mcpUrl, model, questions } from './task.mjs';

const server = mcp({ url: mcpUrl, requestInit: { headers }, useSSETransport: false });
const tools = await server.tools();
const llm = new OpenAI({ model: 'gpt-4o', apiKey: 'none', baseURL: `${model}/v1` });
for (const { text } of questions) {
  const messages = [{ role: 'user', content: text }];
  for (;;) {
    const { newMessages, toolCalls } = await llm.exec({ messages, tools });
    messages.push(...newMessages);
    if (toolCalls.length === 0) break;
  }
}
await server.cleanup();
process.exit(0);

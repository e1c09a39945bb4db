// AI SDK 5 has no client of MCP of its own; the package of its time makes tools that it takes.
import { experimental_createMCPClient as createMCPClient } from 'mcp-for-ai5';
import { createOpenAICompatible } from 'openai-compatible-for-ai5';
import { generateText, stepCountIs } from 'ai5';
import { headers, mcpUrl, model, questions } from './task.mjs';

const client = await createMCPClient({ transport: { type: 'http', url: mcpUrl, headers } });
const provider = createOpenAICompatible({ name: 'stub', baseURL: `${model}/v1` });
const tools = await client.tools();
for (const { text } of questions) await generateText({ model: provider('stub'), tools, stopWhen: stepCountIs(4), prompt: text });
await client.close();

import { createMCPClient } from '@ai-sdk/mcp';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { generateText, isStepCount } from 'ai';
import { headers, mcpUrl, model, questions } from './task.mjs';

const client = await createMCPClient({ transport: { type: 'http', url: mcpUrl, headers } });
const provider = createOpenAICompatible({ name: 'stub', baseURL: `${model}/v1` });
const tools = await client.tools();
for (const { text } of questions) await generateText({ model: provider('stub'), tools, stopWhen: isStepCount(4), prompt: text });
await client.close();

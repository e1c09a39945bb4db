import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { MCPClient } from '@mastra/mcp';
import { headers, mcpUrl, model, questions } from './task.mjs';

const client = new MCPClient({ id: 'world', servers: { invoq: { url: new URL(mcpUrl), requestInit: { headers } } } });
const provider = createOpenAICompatible({ name: 'stub', baseURL: `${model}/v1` });
const agent = new Agent({
  id: 'world',
  name: 'world',
  instructions: 'Do as you are told.',
  model: provider('stub'),
  tools: await client.listTools(),
});
for (const { text } of questions) await agent.generate(text, { maxSteps: 4 });
await client.disconnect();
process.exit(0);

import { Agent, MCPServerStreamableHttp, run, setDefaultOpenAIClient, setOpenAIAPI, setTracingDisabled } from '@openai/agents';
import OpenAI from 'openai';
import { headers, mcpUrl, model, questions } from './task.mjs';

setTracingDisabled(true);
setOpenAIAPI('chat_completions');
setDefaultOpenAIClient(new OpenAI({ apiKey: 'none', baseURL: `${model}/v1` }));
const server = new MCPServerStreamableHttp({ url: mcpUrl, name: 'invoq', requestInit: { headers } });
await server.connect();
const agent = new Agent({ name: 'world', model: 'stub', mcpServers: [server] });
for (const { text } of questions) await run(agent, text);
await server.close();

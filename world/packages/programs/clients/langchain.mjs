import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { headers, mcpUrl, model, questions } from './task.mjs';

const client = new MultiServerMCPClient({ mcpServers: { invoq: { transport: 'http', url: mcpUrl, headers } } });
const tools = await client.getTools();
const chat = new ChatOpenAI({ model: 'stub', apiKey: 'none', configuration: { baseURL: `${model}/v1` } }).bindTools(tools);
for (const { text } of questions) {
  const messages = [new HumanMessage(text)];
  for (;;) {
    const answer = await chat.invoke(messages);
    messages.push(answer);
    if (!answer.tool_calls?.length) break;
    for (const call of answer.tool_calls) messages.push(await invoke(call));
  }
}
await client.close();

/** As LangChain's tool node does: what the tool throws is told to the model. */
async function invoke(call) {
  try {
    return await tools.find(({ name }) => name === call.name).invoke({ ...call, type: 'tool_call' });
  } catch (error) {
    return { role: 'tool', content: `Error: ${error.message}`, tool_call_id: call.id, name: call.name };
  }
}

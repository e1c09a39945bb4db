import OpenAI from 'openai';
import { model, questions } from './task.mjs';
import { callTool, definitions } from './tools-door.mjs';

const openai = new OpenAI({ apiKey: 'none', baseURL: `${model}/v1` });
const tools = await definitions('openai');
for (const { text } of questions) {
  const messages = [{ role: 'user', content: text }];
  for (;;) {
    const { choices } = await openai.chat.completions.create({ model: 'stub', messages, tools });
    messages.push(choices[0].message);
    const calls = choices[0].message.tool_calls ?? [];
    if (calls.length === 0) break;
    for (const call of calls)
      messages.push({
        role: 'tool',
        tool_call_id: call.id,
        content: await callTool(call.function.name, JSON.parse(call.function.arguments)),
      });
  }
}

// A host of its own, for clients that bring no model: it gives its model the text blocks of a result, as many do.
import OpenAI from 'openai';
import { model, questions } from './task.mjs';

/**
 * @param tools definitions with `name`, `description` and `inputSchema`
 * @param call gives what the model is told
 */
export async function askAll(tools, call) {
  const openai = new OpenAI({ apiKey: 'none', baseURL: `${model}/v1` });
  const offered = tools.map(({ name, description, inputSchema: parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  for (const { text } of questions) {
    const messages = [{ role: 'user', content: text }];
    for (;;) {
      const { choices } = await openai.chat.completions.create({ model: 'stub', messages, tools: offered });
      messages.push(choices[0].message);
      const calls = choices[0].message.tool_calls ?? [];
      if (calls.length === 0) break;
      for (const { id, function: wanted } of calls)
        messages.push({ role: 'tool', tool_call_id: id, content: await call(wanted.name, JSON.parse(wanted.arguments)) });
    }
  }
}

/** The text of a result of MCP; a link is told by its address. */
export function textOf({ content }) {
  return content.map((block) => block.text ?? block.uri ?? `[${block.type}]`).join('\n');
}

// The loop of docs/tutorials/agent-with-tools.md: definitions from GET /tools, calls over plain HTTP.
import { headers, url } from './task.mjs';

const wanted = /^(calc_metrics|user_profile_lookup|generate_report|files__read_text_file)$/;

/** @param format `openai` or `anthropic` */
export async function definitions(format) {
  const { tools } = await (await fetch(`${url}/tools?format=${format}`, { headers })).json();
  return tools.filter((tool) => wanted.test(tool.name ?? tool.function.name));
}

/** What the model is told: the data, or the error. */
export async function callTool(name, input) {
  const response = await fetch(`${url}/tools/${name}?result=data`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(input),
  });
  return response.text();
}

// One call in the five ways in which tools are called. Tests run these samples.
export const sampleLanguages = ['curl', 'TypeScript', 'Python', 'MCP', 'CLI'] as const;
export type SampleLanguage = (typeof sampleLanguages)[number];

export interface Sample {
  /** Of the fence. */
  readonly language: 'sh' | 'ts' | 'python';
  readonly text: string;
}

/** @param input JSON, as the contract's examples have it */
export function sampleOf(way: SampleLanguage, name: string, input: unknown): Sample {
  const json = JSON.stringify(input);
  switch (way) {
    case 'curl':
      return { language: 'sh', text: curl(`tools/${name}`, json) };
    case 'MCP': {
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
      return { language: 'sh', text: curl('mcp', JSON.stringify(message), ["-H 'Accept: application/json, text/event-stream'"]) };
    }
    case 'CLI':
      // A file, or - for what is piped: a tool may take whole documents.
      return { language: 'sh', text: `printf %s ${quoted(json)} | npx invoq call ${name} --input -` };
    case 'TypeScript':
      return {
        language: 'ts',
        text: `import { Invoq } from '@invoq/client';

const invoq = new Invoq({ url: process.env.INVOQ_URL, key: process.env.INVOQ_API_KEY });
const { data } = await invoq.call('${name}', ${JSON.stringify(input, null, 2)});
console.log(data);`,
      };
    case 'Python':
      return {
        language: 'python',
        text: `import os
from invoq import Invoq

with Invoq(os.environ["INVOQ_URL"], key=os.environ["INVOQ_API_KEY"]) as invoq:
    print(invoq.call("${name}", ${pythonOf(input)}).data)`,
      };
  }
}

function curl(path: string, json: string, more: readonly string[] = []): string {
  const headers = ['-H "Authorization: Bearer $INVOQ_API_KEY"', "-H 'Content-Type: application/json'", ...more];
  return `curl -s "$INVOQ_URL/${path}" ${headers.join(' ')} \\\n  -d ${quoted(json)}`;
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** JSON as a literal of Python. A JSON string is one of Python too. */
function pythonOf(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(pythonOf).join(', ')}]`;
  if (typeof value === 'object')
    return `{${Object.entries(value)
      .map(([key, one]) => `${JSON.stringify(key)}: ${pythonOf(one)}`)
      .join(', ')}}`;
  return JSON.stringify(value);
}

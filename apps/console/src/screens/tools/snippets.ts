// The same call in the words of other clients. The key is never in them: they name the variable of `.data/dev.env`.
import type { Input } from '../../components/schema-form/input.js';
import { callHeaders, callPath, type ChosenOptions } from './call-options.js';

export const snippetKinds = ['curl', 'TypeScript', 'Python', 'MCP'] as const;
export type SnippetKind = (typeof snippetKinds)[number];

interface SnippetCall {
  readonly origin: string;
  readonly tool: string;
  readonly input: Input;
  readonly options: ChosenOptions;
}

export function snippet(kind: SnippetKind, call: SnippetCall): string {
  return { curl, TypeScript: typescript, Python: python, MCP: mcp }[kind](call);
}

function curl({ origin, tool, input, options }: SnippetCall): string {
  const isStream = options.mode === 'stream';
  const headers = { ...headersOf(options), ...(isStream && { accept: 'text/event-stream' }) };
  const lines = [
    `curl -s${isStream ? 'N' : ''} ${quoted(address(origin, tool, options))}`,
    `  -H "Authorization: Bearer $INVOQ_API_KEY"`,
    ...Object.entries(headers).map(([name, value]) => `  -H ${quoted(`${name}: ${value}`)}`),
    `  -d ${quoted(JSON.stringify(input))}`,
  ];
  return lines.join(' \\\n');
}

function typescript({ origin, tool, input, options }: SnippetCall): string {
  const headers = Object.entries(headersOf(options)).map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return `const response = await fetch(${JSON.stringify(address(origin, tool, options))}, {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.INVOQ_API_KEY}\`,
${headers.join('\n')}
  },
  body: JSON.stringify(${indented(input, '  ')}),
});
const { success, data, error } = await response.json();`;
}

function python({ origin, tool, input, options }: SnippetCall): string {
  const headers = Object.entries(headersOf(options)).map(([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`);
  return `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(address(origin, tool, options))},
    headers={
        "authorization": f"Bearer {os.environ['INVOQ_API_KEY']}",
${headers.join('\n')}
    },
    data=json.dumps(json.loads(r'''${JSON.stringify(input)}''')).encode(),
)
print(json.load(urllib.request.urlopen(request)))`;
}

/** A request of the Model Context Protocol, as any of its clients sends it. */
function mcp({ origin, tool, input }: SnippetCall): string {
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: input } };
  return `curl -s ${origin}/mcp \\
  -H "Authorization: Bearer $INVOQ_API_KEY" \\
  -H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream' \\
  -d ${quoted(JSON.stringify(request))}`;
}

function address(origin: string, tool: string, options: ChosenOptions): string {
  const path = `${origin}/${callPath(tool, options)}`;
  return options.mode === 'stream' ? path.replace(/(\?|$)/, '/sse$1') : path;
}

function headersOf(options: ChosenOptions): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', ...callHeaders(options.mode === 'stream' ? { ...options, mode: 'wait' } : options) };
}

/** For a shell: nothing within single quotes has a meaning. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function indented(value: Input, by: string): string {
  return JSON.stringify(value, null, 2).replaceAll('\n', `\n${by}`);
}

import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { snippet } from './snippets.js';

const input = { text: `it's "quoted" $HOME \`id\` \\ 中文` };
const options = { mode: 'wait', idempotencyKey: "a'b", sessionId: '', debug: true, fresh: false } as const;
const call = { origin: 'http://127.0.0.1:3000', tool: 'echo', input, options };

/** Calls a text in a shell in which `curl` prints its arguments. */
function argumentsOf(text: string): readonly string[] {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }; INVOQ_API_KEY=key; ${text}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}

test('a shell gives curl the parameters and headers as they were typed', () => {
  const given = argumentsOf(snippet('curl', call));
  expect(given).toContain('http://127.0.0.1:3000/tools/echo?debug=true');
  expect(given).toContain('Authorization: Bearer key');
  expect(given).toContain("idempotency-key: a'b");
  expect(JSON.parse(given.at(-1) ?? '')).toEqual(input);
});

test('MCP names tool and arguments', () => {
  expect(JSON.parse(argumentsOf(snippet('MCP', call)).at(-1) ?? '')).toMatchObject({
    method: 'tools/call',
    params: { name: 'echo', arguments: input },
  });
});

test('a stream goes to its own address', () => {
  expect(snippet('curl', { ...call, options: { ...options, mode: 'stream' } })).toContain('/tools/echo/sse?debug=true');
});

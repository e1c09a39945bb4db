// A process that serves a folder of tools, each of which does something bad to it, and a gateway that only writes down what it is told.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from '#lib/testing';

interface Said {
  readonly type: string;
  readonly attempt?: string;
  readonly data?: object;
  readonly failure?: string;
  readonly retryable?: boolean;
  readonly cause?: { readonly message: string; readonly stack?: string };
}

const head = `import { defineTool, handle } from '#lib/serve';
import { z } from 'zod';
const contract = (name) => defineTool({ name, version: '1.0.0', title: 'T', description: 'Does it.', domain: 'own-bad', effect: 'read',
  input: z.strictObject({}), output: z.looseObject({}), errors: {}, timeoutMs: 60_000, estimatedTokens: 1, examples: [{ input: {}, output: {} }] });
`;
/** What each tool does; its code begins at line 6. */
const tools: Readonly<Record<string, string>> = {
  good: `export const tool = handle(contract('good'), () => ({ fine: true }));`,
  slow: `export const tool = handle(contract('slow'), async () => new Promise((resolve) => setTimeout(() => resolve({ fine: true }), 8_000)));`,
  floating: `export const tool = handle(contract('floating'), async () => {
  void (async () => { await new Promise((r) => setTimeout(r, 20)); throw new TypeError('nobody waits'); })();
  await new Promise((r) => setTimeout(r, 5_000));
  return {};
});`,
  late: `export const tool = handle(contract('late'), () => {
  setTimeout(() => { throw new TypeError('too late'); }, 200);
  return { fine: true };
});`,
  leaves: `export const tool = handle(contract('leaves'), async () => {
  try { process.exit(3); } catch { return { fine: true }; }
});`,
  huge: `export const tool = handle(contract('huge'), () => ({ text: 'x'.repeat(9 * 1024 * 1024) }));`,
  strange: `export const tool = handle(contract('strange'), () => { const a = {}; a.a = a; return { n: 1n, get b() { throw new Error('no'); } }; });`,
  loops: `export const tool = handle(contract('loops'), async () => {
  await null;
  for (;;);
});`,
  eats: `export const tool = handle(contract('eats'), async () => {
  const all = [];
  for (;;) { all.push(new Array(1_000).fill(all.length)); if (all.length % 500 === 0) await new Promise((r) => setTimeout(r, 30)); }
});`,
  module: `setTimeout(() => { throw new Error('of the module'); }, 300);
export const tool = handle(contract('of_module'), () => ({ fine: true }));`,
};

const program = `
import { resolveTypeScript } from './libs/serve/src/folder/resolve-typescript.ts';
resolveTypeScript();
const { serveFolder } = await import('#lib/serve');
await serveFolder(process.env.FOLDER, { url: process.env.URL, key: 'k', mostBusyMs: 1_500, onEvent: (event) => {
  if (event.kind === 'fault') console.log(event.file + ':' + event.line + ': ' + event.message);
} });
`;

describe('a process of tools', () => {
  const said: Said[] = [];
  let stream: ServerResponse | undefined;
  let connections = 0;
  let folder: string;
  let server: Server;
  let child: ChildProcess;
  let printed = '';

  beforeAll(async () => {
    // Inside of the repository, whose packages they import.
    folder = mkdtempSync(join(process.cwd(), '.data-guard-'));
    for (const [name, text] of Object.entries(tools)) writeFileSync(join(folder, `${name}.mjs`), `${head}\n${text}\n`);
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        if (request.url === '/workers') {
          connections += 1;
          stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
          return say('welcome', { worker: `w${connections}`, heartbeat_ms: 1_000, silence_ms: 60_000, tools: [] });
        }
        const { messages }: { messages: Said[] } = JSON.parse(body);
        said.push(...messages);
        const settled = messages.flatMap(({ attempt = '' }) => [attempt]);
        response.writeHead(200).end(JSON.stringify({ settled, unknown: [] }));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    await start();
  });
  afterAll(async () => {
    child.kill('SIGKILL');
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  async function start(): Promise<void> {
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
    const before = connections;
    child = spawn(process.execPath, ['-C', 'invoq-source', '--max-old-space-size=400', '--input-type=module', '-e', program], {
      env: { ...process.env, NODE_OPTIONS: '', FOLDER: folder, URL: url },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const pipe of [child.stdout, child.stderr]) pipe?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await eventually(() => connections > before, { withinMs: 30_000 });
  }

  function say(event: string, data: object): void {
    stream?.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  let attempts = 0;
  function begin(tool: string): string {
    const attempt = `a${++attempts}`;
    const caller = { tenant_id: 't', user_id: null, tier: 'pro' };
    const call = { attempt, tool, version: '1.0.0', input: {}, effect_key: 'e', number: 1, trace_id: 't', session_id: null, caller };
    say('attempt', call);
    return attempt;
  }

  async function endOf(attempt: string): Promise<Said> {
    const end = () => said.find((one) => one.attempt === attempt && ['done', 'failed', 'return'].includes(one.type));
    await eventually(() => end() !== undefined, { withinMs: 20_000 });
    return end() ?? { type: 'none' };
  }

  test.each([
    ['floating', 'a promise that nobody awaits was rejected: TypeError: nobody waits', 'floating.mjs:7'],
    ['leaves', 'a tool must not end the process, which runs the others too: Error: process.exit(3)', 'leaves.mjs:7'],
    ['huge', 'the answer of the tool has 9.0 MiB, and at most 8.0 MiB are sent', 'huge.mjs:6'],
    ['strange', '', ''],
  ])(
    'fails the attempt of the tool that is %s, says why and where, and serves on',
    async (tool, message, place) => {
      const other = begin('slow');
      const end = await endOf(begin(tool));
      expect(end).toMatchObject({ type: 'failed', failure: 'internal', cause: { message: expect.stringContaining(message) } });
      if (place) expect(printed).toContain(`${place}: ${tool}: ${message}`);
      expect(await endOf(begin('good'))).toMatchObject({ type: 'done', data: { fine: true } });
      expect(await endOf(other)).toMatchObject({ type: 'done' });
      expect(child.exitCode).toBeNull();
    },
    30_000,
  );

  test('tells what a tool left behind that fails after its attempt, and what a module does by itself', async () => {
    expect(await endOf(begin('late'))).toMatchObject({ type: 'done', data: { fine: true } });
    await eventually(() =>
      printed.includes('late.mjs:7: late: an error was thrown where nobody catches it, as in a timer or an event: TypeError: too late'),
    );
    expect(printed).toMatch(/module\.mjs:6: an error was thrown .*: Error: of the module/);
    expect(await endOf(begin('good'))).toMatchObject({ type: 'done' });
  });

  test.each([
    ['loops', /✗ \.data-guard-\w+\/loops\.mjs:8: loops has kept the process of all tools busy for \d s/],
    ['eats', /✗ \.data-guard-\w+\/eats\.mjs:8: eats has filled the memory of the process of all tools, \d+ MB/],
  ])(
    'fails the attempt of a tool that %s, gives the others back, and ends with its place',
    async (tool, message) => {
      const exited = once(child, 'exit');
      const other = begin('slow');
      const bad = begin(tool);
      expect(await endOf(bad)).toMatchObject({
        type: 'failed',
        failure: 'internal',
        retryable: false,
        cause: { message: expect.stringContaining(tool) },
      });
      expect(await endOf(other)).toEqual({ type: 'return', attempt: other });
      await exited;
      expect(printed).toMatch(message);
      await start();
      expect(await endOf(begin('good'))).toMatchObject({ type: 'done' });
    },
    60_000,
  );
});

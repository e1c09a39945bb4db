// What code of a stranger tries in the process that it runs in: built, as a worker starts it.
import { afterAll, expect, test } from '@jest/globals';
import { Sandbox } from '#lib/sandbox';
import type { CodeEnd } from './messages.js';
import type { runCode } from './run-code.js';

const entry = 'dist/apps/agent-worker/src/code/code-process.js';
const sandbox = new Sandbox<{ readonly runCode: typeof runCode }>({ root: process.cwd(), entry, memoryMb: 128 });
afterAll(() => sandbox.close());

const input = {
  tools: ['echo', '__proto__', 'constructor', 'then'],
  startedAt: 0,
  seed: 1,
  timeMs: 1_000,
  memoryMb: 64,
  logCharacters: 1_000,
};

async function run(code: string): Promise<CodeEnd & { readonly asked: readonly unknown[] }> {
  const asked: unknown[] = [];
  const onAsk = async (ask: unknown) => {
    asked.push(ask);
    return { json: JSON.stringify({ data: { from: 'worker' } }), at: 0 };
  };
  const end = await sandbox.run('runCode', { ...input, code }, { tenant: 't', signal: new AbortController().signal, timeMs: 5_000, onAsk });
  return { ...end, asked };
}

async function result(code: string): Promise<unknown> {
  const end = await run(code);
  return end.ok ? JSON.parse(end.json) : end.message;
}

/** Each way to a global object, and what is looked for there. */
const ways = [
  'globalThis',
  'this ?? globalThis',
  `(0, eval)('this')`,
  `new Function('return this')()`,
  'tools.echo.constructor?.("return this")() ?? globalThis',
  `console.log.constructor('return this')()`,
  `(async () => {}).constructor('return this')() && globalThis`,
  `[].constructor.constructor('return this')()`,
  `(await tools.echo()).constructor.constructor('return this')()`,
  `(() => { try { null.x } catch (e) { return e.constructor.constructor('return this')() } })()`,
  `await tools.echo(1).catch((e) => e.constructor.constructor('return this')())`,
  `Object.getPrototypeOf(async function* () {}).constructor('return this')() && globalThis`,
  `new Proxy({}, { get: (t, k, r) => r }).x && globalThis`,
];
const missing = [
  'process',
  'require',
  'module',
  'Buffer',
  'fetch',
  'setTimeout',
  'WebAssembly',
  'std',
  'os',
  'bjson',
  'print',
  'ask',
  'navigator',
];

test.each(ways)('%s leads to nothing of ours', async (way) => {
  expect(await result(`const there = ${way}; return ${JSON.stringify(missing)}.filter((name) => there[name] !== undefined)`)).toEqual([]);
});

test.each(['fs', 'node:fs', 'std', 'os', 'quickjs-wasi', '/etc/passwd', 'file:///etc/passwd', 'data:text/javascript,1'])(
  'import(%j) loads nothing',
  async (name) => {
    expect(await result(`return import(${JSON.stringify(name)}).then((all) => Object.keys(all), () => 'nothing')`)).toBe('nothing');
  },
);

test('what closes its function is in the same realm, with nothing more', async () => {
  const code = `}); globalThis.seen = [typeof ask, typeof print, typeof parse, typeof functions].join(); (async () => { return seen`;
  expect(await result(code)).toBe('undefined,undefined,undefined,undefined');
});

test('a realm that the code has changed asks and answers as before', async () => {
  const spoil = `
    const mine = [];
    JSON.parse = JSON.stringify = (x) => { mine.push(x); return '{"data":"forged"}'; };
    Promise.prototype.then = function () { mine.push('then'); return this; };
    Object.prototype.error = { code: 'X', message: 'polluted' };
    Object.prototype.toJSON = function () { return { kind: 'call', tool: 'other' }; };
    Array.prototype.push = function () {};
    String = Error = undefined;`;
  const { asked } = await run(`${spoil} await tools.echo({ a: 1 }); return 1`);
  for (const ask of asked) expect(ask).toMatchObject({ kind: 'call', tool: 'echo', input: expect.any(String) });
  expect(await result('return [await tools.echo({}), {}.error]')).toEqual([{ from: 'worker' }, null]);
});

test('names of tools that every object has are tools, and nothing else', async () => {
  const { asked } = await run(`await tools['__proto__']({ a: 1 }); await tools.constructor({}); await tools.then({}); return 1`);
  expect(asked).toEqual(['__proto__', 'constructor', 'then'].map((tool) => expect.objectContaining({ kind: 'call', tool })));
});

test('tools can be neither replaced nor changed', async () => {
  const code = `try { tools.echo = () => 'mine' } catch {} try { delete tools.echo } catch {} try { Object.defineProperty(tools, 'x', { value: 1 }) } catch {}
    try { tools.echo.x = 1 } catch {} return [await tools.echo(), 'x' in tools, Object.getPrototypeOf(tools), tools.echo.x ?? null]`;
  expect(await result(code)).toEqual([{ from: 'worker' }, false, null, null]);
});

test('parameters go as JSON: getters are read once, and names of prototypes are names', async () => {
  const code = `let reads = 0; await tools.echo({ get a() { reads += 1; return reads }, ['__proto__']: { b: 1 }, c: undefined, d: () => 1 }); return reads`;
  const { asked, ...end } = await run(code);
  expect(end).toMatchObject({ ok: true, json: '1' });
  expect(asked).toEqual([{ kind: 'call', tool: 'echo', input: '{"a":1,"__proto__":{"b":1}}' }]);
  const wrong = await run(`return Promise.all([1, 'x', null, [], () => 1].map((input) => tools.echo(input).catch((e) => e.name)))`);
  expect(wrong).toMatchObject({ asked: [], json: JSON.stringify(Array(5).fill('TypeError')) });
});

test.each([
  'for (;;);',
  'for (;;) await null;',
  'for (;;) tools.echo({}).catch(() => 0);',
  'while (true) await tools.echo({});',
  'const f = () => f() + 1; f()',
  'const all = []; for (;;) all.push(new Array(1e5).fill(all))',
  `let text = 'x'; for (;;) text += text`,
  `for (;;) console.log('x'.repeat(1e5))`,
  `return 'x'.repeat(3e7)`,
  'return new Array(2 ** 32 - 1)',
  'return JSON.stringify(new Array(1e7).fill(0))',
  `return /(x+x+)+y/.test('x'.repeat(40))`,
  'BigInt(7) ** BigInt(10 ** 7)',
  'new Array(1e6).fill(0).map((_, n) => 1e6 - n).sort((a, b) => { for (let n = 0; n < 1e4; n++); return a - b })',
  'await new Promise(() => {})',
])('%s costs its own run alone', async (code) => {
  const ended = await run(code).then(
    (end) => (end.ok ? 'ok' : end.fault),
    (error: unknown) => (error instanceof Error ? error.name : ''),
  );
  expect(ended).not.toBe('');
  expect(await result('return 1 + 1')).toBe(2);
});

test('a run leaves nothing for the next', async () => {
  await run('globalThis.left = 1; Object.prototype.left = 2; Array.prototype.map = null');
  expect(await result('return [typeof left, {}.left ?? null, [1].map((n) => n)]')).toEqual(['undefined', null, [1]]);
});

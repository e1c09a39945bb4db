import { describe, expect, test } from '@jest/globals';
import type { Ask, CodeEnd } from './messages.js';
import { runCode } from './run-code.js';

const code = {
  tools: ['add', 'fail', 'echo'],
  startedAt: Date.UTC(2026, 10, 27),
  seed: 7,
  timeMs: 1_000,
  memoryMb: 32,
  logCharacters: 200,
};
const at = code.startedAt + 1_000;

/** Tools that answer at once, and what was asked of them. */
async function run(text: string, more: Partial<typeof code> = {}): Promise<CodeEnd & { readonly asked: readonly Ask[] }> {
  const asked: Ask[] = [];
  const answer = (ask: Ask): unknown => {
    if (ask.kind === 'describe') return { data: [ask.tool] };
    if (ask.kind === 'search') return { data: { tools: [{ name: `found ${ask.query}` }] } };
    const input = JSON.parse(ask.input);
    if (ask.tool === 'add') return { data: { sum: input.a + input.b } };
    if (ask.tool === 'echo') return { data: input };
    return { error: { code: 'RESOURCE_NOT_FOUND', message: 'no such thing', retryable: false } };
  };
  const end = await runCode(
    { ...code, ...more, code: text },
    () => undefined,
    async (ask) => {
      asked.push(ask as Ask);
      return { json: JSON.stringify(answer(ask as Ask)), at };
    },
  );
  return { ...end, asked };
}

const result = async (text: string): Promise<unknown> => {
  const end = await run(text);
  return end.ok ? JSON.parse(end.json) : end;
};

describe('code', () => {
  test('calls tools as functions, also beside each other, and returns JSON', async () => {
    expect(await result(`return 1 + 1`)).toBe(2);
    expect(await result(`const { sum } = await tools.add({ a: 1, b: 2 }); return { sum }`)).toEqual({ sum: 3 });
    const both = `const all = await Promise.all([1, 2].map((n) => tools['add']({ a: n, b: n }))); return all.map(({ sum }) => sum)`;
    expect(await result(both)).toEqual([2, 4]);
    expect(await result('')).toBeNull();
  });

  test('gets the error of a call as one that it can catch', async () => {
    const text = `try { await tools.fail() } catch ({ name, code, message, retryable }) { return { name, code, message, retryable } }`;
    expect(await result(text)).toEqual({ name: 'ToolError', code: 'RESOURCE_NOT_FOUND', message: 'no such thing', retryable: false });
    expect(await run('const a = 1;\nawait tools.fail();')).toMatchObject({
      ok: false,
      fault: 'threw',
      message: 'ToolError: fail: RESOURCE_NOT_FOUND: no such thing',
      line: 2,
    });
  });

  test('knows its tools', async () => {
    expect(await result('return Object.keys(tools)')).toEqual(['add', 'fail', 'echo']);
    expect(
      await result(`return [tools.add.name, 'add' in tools, 'sub' in tools, await tools.$describe('add'), await tools.$search('sums')]`),
    ).toEqual(['add', true, false, ['add'], { tools: [{ name: 'found sums' }] }]);
    for (const name of ['sub', 'constructor', '__proto__', 'hasOwnProperty'])
      expect(await run(`return tools[${JSON.stringify(name)}]`)).toMatchObject({
        ok: false,
        message: expect.stringContaining('no such tool'),
      });
    expect(await result('return (await tools) === tools')).toBe(true);
  });

  test('prints lines, up to a bound', async () => {
    expect((await run(`console.log('a', 1, { b: [2] }); console.error(new TypeError('c'))`)).logs).toEqual([
      'a 1 {"b":[2]}',
      'TypeError: c',
    ]);
    const { logs } = await run(`for (let n = 0; n < 1000; n++) console.log('x'.repeat(99))`);
    expect(logs).toEqual(['x'.repeat(99), 'x'.repeat(99), '… 998 more lines are left out']);
    expect((await run(`console.log('\\0\\ud800')`)).logs).toEqual(['�']);
  });

  test('runs the same way with the same replies', async () => {
    const text = `const first = [Date.now(), Math.random()]; await tools.add({ a: 1, b: 1 }); return [...first, Date.now(), Math.random()]`;
    const [one, two] = [await result(text), await result(text)];
    expect(one).toEqual(two);
    expect(one).toEqual([code.startedAt, expect.any(Number), at, expect.any(Number)]);
    expect(JSON.parse(((await run(text, { seed: 8 })) as { json: string }).json)).not.toEqual(one);
  });
});

test.each([
  ['let a = 1;\nlet b = ;', 'syntax', 2, /SyntaxError/],
  ['let a = 1;\n\na.b.c', 'threw', 3, /TypeError: .*undefined/],
  [`throw 'a text'`, 'threw', undefined, /^Thrown: a text$/],
  ['throw { get message() { throw 1 }, toJSON() { throw 2 }, toString() { throw 3 } }', 'threw', undefined, /cannot be shown/],
  ['return () => 1', 'not-json', undefined, /function/],
  ['return 1n', 'not-json', undefined, /BigInt/i],
  ['const a = {}; a.a = a; return a', 'not-json', undefined, /circular/],
  ['await new Promise(() => {})', 'stuck', undefined, /nothing can settle/],
  [`await import('fs')`, 'threw', undefined, /./],
] as const)('%j ends as what it is: %s', async (text, fault, line, message) => {
  const end = await run(text);
  expect(end).toMatchObject({ ok: false, fault, message: expect.stringMatching(message) });
  expect('line' in end ? end.line : undefined).toBe(line);
});

describe('code that would not end', () => {
  test.each([
    'for (;;);',
    'for (;;) await null;',
    'try { for (;;); } catch {} finally { for (;;); }',
    `await tools.add({ a: 1, b: 1 }); for (;;);`,
    `return { get a() { for (;;); } }`,
    `return { toJSON() { for (;;); } }`,
    `throw { toJSON() { for (;;); } }`,
    `Promise.prototype.then = function () { for (;;); }; await { then() { for (;;); } }`,
    `/^(a+)+$/.test('a'.repeat(60) + 'b')`,
    `const again = () => queueMicrotask(again); again(); await new Promise(() => {})`,
    `JSON.parse = () => { for (;;); }; Array.prototype.map = () => { for (;;); }; console.log(1)`,
  ])('is stopped: %s', async (text) => {
    expect(await run(text, { timeMs: 300 })).toMatchObject({ ok: false, fault: 'time' });
  });

  test.each([
    [`const all = []; for (;;) all.push(new Array(1000).fill(all))`, 'memory'],
    [`try { const all = []; for (;;) all.push(new Uint8Array(1e6)) } catch { return 'went on' }`, 'memory'],
    [`return 'x'.repeat(2 ** 29)`, 'memory'],
    [`const f = () => f() + 1; return f()`, 'depth'],
    [`return JSON.parse('['.repeat(1e6))`, 'depth'],
    [`let o = {}; for (let n = 0; n < 1e5; n++) o = { o }; return o`, 'depth'],
  ])('and code that needs too much: %s', async (text, fault) => {
    expect(await run(text, { timeMs: 5_000 })).toMatchObject({ ok: false, fault });
  });
});

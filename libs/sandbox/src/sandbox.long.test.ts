// The processes as a worker starts them: built, without rights.
import { afterAll, describe, expect, test } from '@jest/globals';
import { AsyncLocalStorage } from 'node:async_hooks';
import { mkdtempDisposableSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { once } from 'node:events';
import { join } from 'node:path';
import { OverLimit } from './errors.js';
import { Sandbox } from './sandbox.js';
import type { functions } from './test-functions.js';

const root = process.cwd();
const entry = 'dist/libs/sandbox/src/test-process.js';
const open: { close: () => void }[] = [];
afterAll(() => {
  for (const one of open) one.close();
});

function sandbox(more: { readonly memoryMb?: number; readonly processes?: number; readonly perTenant?: number } = {}) {
  const made = new Sandbox<typeof functions>({ root, entry, ...more });
  open.push(made);
  return made;
}

const options = { tenant: 't', signal: new AbortController().signal, timeMs: 20_000 };
const shared = sandbox();

test('input and result are plain data', async () => {
  expect(await shared.run('double', { text: '字' }, options)).toEqual({ text: '字字', at: new Date(0) });
});

test('a process is kept for the next task', async () => {
  const one = sandbox();
  const pids = [await one.run('pid', null, options), await one.run('pid', null, options), await one.run('pid', null, options)];
  expect(new Set(pids).size).toBe(1);
  expect(pids[0]).not.toBe(process.pid);
});

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('a process that has kept much of a task is replaced: the next has all of its memory', async () => {
  const one = sandbox({ memoryMb: 256, processes: 1 });
  const before = await one.run('keep', 250, options);
  expect(await one.run('keep', 250, options)).not.toBe(before);
});

test('what a process needs may be behind links', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-linked-'));
  for (const name of ['dist', 'node_modules', 'package.json']) symlinkSync(join(root, name), join(folder.path, name));
  const linked = new Sandbox<typeof functions>({ root: folder.path, entry });
  open.push(linked);
  expect(await linked.run('double', { text: '字' }, options)).toMatchObject({ text: '字字' });
});

test('tasks run at the same time', async () => {
  const one = sandbox({ processes: 2 });
  expect(new Set(await Promise.all([one.run('pid', null, options), one.run('pid', null, options)])).size).toBe(2);
});

test('progress arrives in order, before the result', async () => {
  const said: unknown[] = [];
  const count = await shared.run('report', [1, 2, 3], { ...options, onProgress: (value) => said.push(value) });
  expect([said, count]).toEqual([[1, 2, 3], 3]);
});

describe('what a task asks its worker', () => {
  const later = async (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  test('is done at once, and each reply finds its question', async () => {
    const open = { now: 0, most: 0 };
    const onAsk = async (ms: unknown) => {
      open.most = Math.max(open.most, (open.now += 1));
      await later(Number(ms));
      open.now -= 1;
      return [ms];
    };
    expect(await shared.run('ask', [300, 200, 100], { ...options, onAsk })).toEqual([[300], [200], [100]]);
    expect(open.most).toBe(3);
  });

  test('does not count as time of the task', async () => {
    const onAsk = async () => later(700);
    expect(await shared.run('ask', [1], { ...options, onAsk, timeMs: 50 })).toEqual([undefined]);
  });

  test('ends with the task, and its reply is for no later one', async () => {
    const one = sandbox({ processes: 1, perTenant: 1 });
    const ended: unknown[] = [];
    const onAsk = async (value: unknown, signal: AbortSignal) => {
      signal.addEventListener('abort', () => ended.push(value));
      await later(100);
      return 'late';
    };
    const pid = await one.run('askAndLeave', 'left', { ...options, onAsk });
    expect(ended).toEqual(['left']);
    expect(await one.run('ask', [1], { ...options, onAsk: async () => later(300) })).toEqual([undefined]);
    expect(await one.run('pid', null, options)).toBe(pid);
  });

  test('ends the task where it cannot be done', async () => {
    const onAsk = async () => {
      throw new RangeError('no such thing');
    };
    await expect(shared.run('ask', [1], { ...options, onAsk })).rejects.toThrow('no such thing');
    await expect(shared.run('ask', [1], options)).rejects.toThrow('nobody does what this task asks');
  });

  test('is of the call that the task is of', async () => {
    const call = new AsyncLocalStorage<string>();
    const onAsk = async () => call.getStore();
    const asked = ['a', 'b'].map((id) => call.run(id, async () => shared.run('ask', [1], { ...options, onAsk })));
    expect(await Promise.all(asked)).toEqual([['a'], ['b']]);
  });
});

describe('a task that does not end', () => {
  test.each(['endless', 'backtrack', 'slowly'] as const)('is killed when its time is up: %s', async (name) => {
    const one = sandbox();
    const [before] = [await one.run('pid', null, options)];
    const input = { endless: null, backtrack: `${'a'.repeat(60)}b`, slowly: 60_000 };
    const task = one.run(name, input[name] as never, { ...options, timeMs: 300 });
    await expect(task).rejects.toMatchObject({ name: 'OverLimit', limit: 'time', message: 'takes more than 0.3 s' });
    expect(await one.run('pid', null, options)).not.toBe(before);
  });

  test('is killed when its call ends', async () => {
    const one = sandbox({ processes: 1, perTenant: 1 });
    const stop = new AbortController();
    await one.run('pid', null, options);
    const task = one.run('endless', null, { ...options, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('gone')), 100);
    await expect(task).rejects.toThrow('gone');
    expect(await one.run('double', { text: 'a' }, options)).toMatchObject({ text: 'aa' });
  });

  test('does not keep other tenants waiting', async () => {
    const one = sandbox({ processes: 2, perTenant: 1 });
    const stop = new AbortController();
    const hostile = ['a', 'a', 'a'].map((tenant) => one.run('endless', null, { ...options, tenant, signal: stop.signal }));
    expect(await one.run('double', { text: 'b' }, { ...options, tenant: 'b' })).toMatchObject({ text: 'bb' });
    stop.abort(new Error('gone'));
    expect((await Promise.allSettled(hostile)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });
});

test.each(['fillHeap', 'fillBuffers'] as const)('a task that fills the memory ends with its process alone: %s', async (name) => {
  const one = sandbox({ memoryMb: 64 });
  const task = one.run(name, null, options);
  await expect(task).rejects.toThrow(OverLimit);
  await expect(task).rejects.toThrow('needs more than 64 MB of memory');
  expect(await one.run('double', { text: 'a' }, options)).toMatchObject({ text: 'aa' });
});

test('a process that ends by itself is a fault, and replaced', async () => {
  await expect(shared.run('exit', null, options)).rejects.toThrow(/ended \(code 3\)/);
  expect(await shared.run('double', { text: 'a' }, options)).toMatchObject({ text: 'aa' });
});

test('a function that throws is a fault, and its process is kept', async () => {
  const one = sandbox();
  const before = await one.run('pid', null, options);
  await expect(one.run('fault', null, options)).rejects.toThrow(/a fault of ours/);
  expect(await one.run('pid', null, options)).toBe(before);
});

test('a sandbox that is closed takes no tasks', async () => {
  const one = sandbox();
  await one.run('pid', null, options);
  one.close();
  await expect(one.run('pid', null, options)).rejects.toThrow(/closed/);
});

describe('a process', () => {
  test('has no secrets', async () => {
    expect(await shared.run('environment', null, options)).toEqual([]);
  });

  test('reads our code alone, and writes nothing', async () => {
    expect(await shared.run('read', join(root, 'package.json'), options)).toBeGreaterThan(0);
    for (const path of ['/etc/passwd', join(root, '.data'), join(root, '.env.example')])
      await expect(shared.run('read', path, options)).rejects.toThrow(/ERR_ACCESS_DENIED|restricted/);
    await expect(shared.run('write', join(root, 'dist/x'), options)).rejects.toThrow(/ERR_ACCESS_DENIED|restricted/);
  });

  test('starts nothing and reaches nobody', async () => {
    let asked = 0;
    const server = createServer(() => void (asked += 1)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
    await expect(shared.run('start', '/bin/ls', options)).rejects.toThrow(/needs no node:child_process/);
    await expect(shared.run('connect', url, options)).rejects.toThrow(/needs no node:http/);
    expect(await shared.run('fetch', null, options)).toBe('undefined');
    server.close();
    expect(asked).toBe(0);
  });
});

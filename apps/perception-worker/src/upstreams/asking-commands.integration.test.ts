// Commands over stdio that ask the client behind a call. Each is a real process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { eventually } from '#lib/testing';
import { KeptSteps } from './test-steps.js';
import { callUntil, newName, openServices, register, withStores } from './test-upstreams.js';

jest.setTimeout(60_000);
withStores();

async function command(may_ask: readonly string[], sessions?: { readonly most: number; readonly idleMs: number }) {
  const folder = mkdtempSync(join(tmpdir(), 'invoq-command-'));
  const name = newName();
  const started = { command: process.execPath, args: ['dist/test/lab/asking-command-main.js', folder] };
  const services = openServices({ commands: { [name]: started } }, 60_000, sessions);
  expect(await register(services, { name, stdio: name, tenants: '*', may_ask }, ['admin'])).toMatchObject({ kind: 'done' });
  const opened: string[] = [];
  services.servers.addressOpened = (_server, id) => void opened.push(id);
  const once = async (tool: string, steps: KeptSteps, more: { readonly userId?: string; readonly modelTools?: boolean } = {}) => {
    const done = await callUntil(services, { server: name, name: tool, steps, input: {}, ...more });
    return [done.kind, JSON.stringify(done)] as const;
  };
  return {
    once,
    opened,
    pay: () => writeFileSync(join(folder, 'paid'), ''),
    [Symbol.asyncDispose]: async () => {
      await services[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    },
  };
}

const pidIn = (text: string) => /by (\d+)/.exec(text)?.[1];
const isAlive = (pid: string | undefined) => {
  try {
    return process.kill(Number(pid), 0);
  } catch {
    return false;
  }
};
const rootsOf = (uri: string) => ({ action: 'accept' as const, content: { roots: [{ uri }] } });

test('roots: the call rests, and the same process has the answer; another user has a process of their own', async () => {
  await using at = await command(['roots']);
  const pids = [];
  for (const userId of ['ann', 'bob']) {
    const steps = new KeptSteps();
    expect(await at.once('where', steps, { userId })).toMatchObject(['resting', expect.any(String)]);
    expect(steps.asked).toMatchObject([{ request: { method: 'roots/list' } }]);
    steps.answerLast(rootsOf(`file:///home/${userId}`));
    const [kind, text] = await at.once('where', steps, { userId });
    expect([kind, text.includes(`file:///home/${userId}`)]).toEqual(['done', true]);
    pids.push(pidIn(text));
  }
  expect(new Set(pids).size).toBe(2);
  const [, again] = await at.once('wait', new KeptSteps(), { userId: 'ann' });
  expect(pidIn(again)).toBe(pids[0]);
});

test('two calls of one user at once are made one after another, so each has its own answer', async () => {
  await using at = await command(['roots']);
  const [one, two] = [new KeptSteps(), new KeptSteps()];
  const resting = await Promise.all([at.once('where', one), at.once('where', two)]);
  expect(resting).toMatchObject([['resting'], ['resting']].map(([kind]) => [kind, expect.any(String)]));
  one.answerLast(rootsOf('file:///one'));
  two.answerLast(rootsOf('file:///two'));
  const [first, second] = await Promise.all([at.once('where', one), at.once('where', two)]);
  expect([first[1].includes('file:///one'), second[1].includes('file:///two')]).toEqual([true, true]);
});

test('processes for one caller end when they are idle and too many', async () => {
  await using at = await command(['roots'], { most: 1, idleMs: 60_000 });
  const [, ann] = await at.once('wait', new KeptSteps(), { userId: 'ann' });
  expect(isAlive(pidIn(ann))).toBe(true);
  const [, bob] = await at.once('wait', new KeptSteps(), { userId: 'bob' });
  await eventually(() => !isAlive(pidIn(ann)));
  expect(isAlive(pidIn(bob))).toBe(true);
});

test('a model may use tools of its server, which runs them and asks again', async () => {
  await using at = await command(['sampling']);
  const steps = new KeptSteps();
  expect(await at.once('reckon', steps)).toMatchObject(['resting', expect.any(String)]);
  expect(steps.asked).toMatchObject([
    {
      message: expect.stringContaining('gives it a tool of its own'),
      request: { params: { tools: [{ name: 'double' }], toolChoice: { mode: 'auto' } } },
    },
  ]);
  const use = { type: 'tool_use', id: 'a', name: 'double', input: { number: 21 } };
  steps.answerLast({ action: 'accept', content: { role: 'assistant', model: 'm', content: [use], stopReason: 'toolUse' } });
  expect(await at.once('reckon', steps)).toMatchObject(['resting', expect.any(String)]);
  expect(steps.asked[1]?.request).toMatchObject({
    params: { messages: [{}, { role: 'assistant' }, { content: [{ type: 'tool_result', toolUseId: 'a', content: [{ text: '42' }] }] }] },
  });
  steps.answerLast({ action: 'accept', content: { role: 'assistant', model: 'm', content: { type: 'text', text: 'It is 42' } } });
  expect(await at.once('reckon', steps)).toEqual(['done', expect.stringContaining('It is 42')]);
});

test('where the client has no sampling.tools, its server hears so in words', async () => {
  await using at = await command(['sampling']);
  const steps = new KeptSteps();
  expect(await at.once('reckon', steps, { modelTools: false })).toEqual([
    'refused',
    expect.stringContaining('has no sampling.tools: ask its model without tools'),
  ]);
  expect(steps.asked).toEqual([]);
});

test('a command lives while somebody is at an address, and what it says then wakes the call', async () => {
  await using at = await command([]);
  const steps = new KeptSteps();
  expect(await at.once('order', steps)).toMatchObject(['resting', expect.any(String)]);
  at.pay();
  await eventually(() => at.opened.length > 0);
  steps.answerLast({ action: 'accept' });
  const [kind, text] = await at.once('order', steps);
  expect([kind, at.opened]).toEqual(['done', [`payment-${pidIn(text)}`]]);
});

test('so it does for users who are at an address at the same time', async () => {
  await using at = await command([]);
  const users = ['ann', 'bob', 'cem'].map((userId) => ({ userId, steps: new KeptSteps() }));
  const resting = await Promise.all(users.map(({ userId, steps }) => at.once('order', steps, { userId })));
  expect(resting.map(([kind]) => kind)).toEqual(['resting', 'resting', 'resting']);
  at.pay();
  await eventually(() => at.opened.length > 0);
  for (const { steps } of users) steps.answerLast({ action: 'accept' });
  const done = await Promise.all(users.map(({ userId, steps }) => at.once('order', steps, { userId })));
  expect(new Set(done.map(([kind, text]) => `${kind} ${pidIn(text)}`)).size).toBe(1);
});

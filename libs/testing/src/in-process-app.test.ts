import { expect, test } from '@jest/globals';
import { InProcessApp, type StartInProcess } from './in-process-app.js';

function app() {
  const seen: string[] = [];
  const start: StartInProcess = async ({ main, env, log }) => {
    seen.push(`${main} ${env['PORT']} ${env['A']}`);
    log.write(`{"level":"info","name":"a","event":"${env['A']}"}\n`);
    return { url: 'http://127.0.0.1:4321', close: async () => void seen.push('closed') };
  };
  return { seen, app: new InProcessApp({ main: 'dist/a.js', env: () => ({ A: 'a' }), start }) };
}

test('an app in this process is started and closed, and keeps its address and takes other settings when it is started again', async () => {
  const { seen, app: one } = app();
  expect([one.url, one.isRunning]).toEqual(['', false]);
  await one.start();
  expect([one.url, one.isRunning]).toEqual(['http://127.0.0.1:4321', true]);
  await one.stop();
  await one.stop();
  await one.start({ A: 'b' });
  await one[Symbol.asyncDispose]();
  expect(one.logs().map(({ event }) => event)).toEqual(['a', 'b']);
  expect(seen).toEqual(['dist/a.js 0 a', 'closed', 'dist/a.js 4321 b', 'closed']);
});

test('what needs a process of its own is refused, with what to do', async () => {
  const { app: one } = app();
  await one.start();
  const refused = 'start this system without inProcess';
  await expect(one.kill()).rejects.toThrow(refused);
  await expect(one.restart()).rejects.toThrow(refused);
  for (const asked of [() => one.signal('SIGSTOP'), () => one.exited, () => one.launch()]) expect(asked).toThrow(refused);
});

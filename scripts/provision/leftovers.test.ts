import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { endLeftovers, isSupervisor } from './leftovers.js';

/** A process that stays until it is ended, with a data folder in its environment. */
async function processOf(dataDir: string, cwd = '/') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000); console.log("ready")'], {
    cwd,
    env: { ...process.env, INVOQ_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  await once(child.stdout, 'data');
  return {
    pid: child.pid ?? 0,
    exited,
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

const silently = async (work: () => Promise<void>): Promise<string> => {
  const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await work();
    return write.mock.calls.map(([text]) => String(text)).join('');
  } finally {
    write.mockRestore();
  }
};

test('a recorded process of this data folder is ended and named; one of another folder is left alone', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-leftovers-'));
  await using ours = await processOf(folder.path);
  await using others = await processOf('/another/folder');
  const record = [
    { name: 'gateway', pid: ours.pid },
    { name: 'profile-worker', pid: others.pid },
  ];
  const printed = await silently(() => endLeftovers(record, folder.path));
  expect(await ours.exited).toEqual([null, 'SIGTERM']);
  expect(others.isAlive()).toBe(true);
  expect(printed).toBe(`  ended gateway (pid ${ours.pid}), left over from an earlier run\n`);
}, 10_000);

test('a process that works in the data folder is ended too, whatever its environment says', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-leftovers-'));
  const home = join(folder.path, 'redis');
  mkdirSync(home);
  await using redis = await processOf('/another/folder', home);
  await silently(() => endLeftovers([{ name: 'redis', pid: redis.pid }], folder.path));
  expect(await redis.exited).toEqual([null, 'SIGTERM']);
}, 10_000);

test.each([undefined, null, 'text', [{ name: 'x' }], [{ name: 'x', pid: '1' }], {}])('a record that is %j ends nothing', async (record) => {
  expect(await silently(() => endLeftovers(record, '/nowhere'))).toBe('');
});

test('only a process that runs npm start or npm run dev is a supervisor', () => {
  expect([isSupervisor(process.pid), isSupervisor(99_999_999)]).toEqual([false, false]);
});

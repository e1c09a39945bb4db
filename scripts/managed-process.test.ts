import { mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { CommandError } from '#lib/command-line';
import { eventually } from '#lib/testing';
import { describeExit, lastLines, ManagedProcess, type ProcessSpec } from './managed-process.js';

/** A Node program in a folder of its own, which goes away with the process. */
function programOf(code: string, spec: Partial<ProcessSpec> = {}) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-process-'));
  const logFile = join(folder.path, 'logs', 'program.log');
  const managed = new ManagedProcess({
    name: 'program',
    command: process.execPath,
    args: ['-e', code],
    cwd: folder.path,
    port: 0,
    logFile,
    isNode: false,
    stopMs: 5_000,
    isReady: async () => isWritten(logFile, 'ready'),
    ...spec,
  });
  return {
    managed,
    logFile,
    async [Symbol.asyncDispose]() {
      managed.signal('SIGKILL');
      await managed.exited;
      folder.remove();
    },
  };
}

function isWritten(logFile: string, text: string): boolean {
  return readFileSync(logFile, 'utf8').includes(text);
}

const stays = 'setInterval(() => {}, 1000); console.log("ready")';

test('a process is started until it is ready, and stopped in order', async () => {
  await using program = programOf(stays);
  const { managed } = program;
  expect([managed.isRunning(), managed.pid]).toEqual([false, undefined]);
  await managed.start();
  expect([managed.isRunning(), managed.pid]).toEqual([true, expect.any(Number)]);
  await managed.stop();
  expect([managed.isRunning(), managed.pid, await managed.exited]).toEqual([false, undefined, { code: null, signal: 'SIGTERM' }]);
  // Stopping what does not run does nothing.
  await managed.stop();
});

test('one that ends while it starts is an error with the last lines of its log', async () => {
  await using program = programOf('console.error("no such setting"); process.exit(3)');
  const starting = program.managed.start();
  await expect(starting).rejects.toThrow(CommandError);
  await expect(starting).rejects.toThrow(/program ended while starting \(exit code 3\)[^]*no such setting$/);
});

test('a program that is not there ends with code 127', async () => {
  await using program = programOf('', { command: '/nowhere/program' });
  await expect(program.managed.start()).rejects.toThrow(/exit code 127/);
  expect(program.managed.isRunning()).toBe(false);
});

test('one that does not stop in time is killed', async () => {
  await using program = programOf(`process.on('SIGTERM', () => console.log('no')); ${stays}`, { stopMs: 50 });
  await program.managed.start();
  await program.managed.stop();
  expect(await program.managed.exited).toEqual({ code: null, signal: 'SIGKILL' });
  expect(isWritten(program.logFile, 'no')).toBe(true);
});

test('a Node program notices when its parent is gone', async () => {
  await using program = programOf(
    `process.on('disconnect', () => {}); console.log(process.connected ? 'ready' : 'alone'); setInterval(() => {}, 1000)`,
    {
      isNode: true,
    },
  );
  await program.managed.start();
  expect(isWritten(program.logFile, 'ready')).toBe(true);
});

test('a log that has grown too large is kept beside the new one', async () => {
  await using program = programOf(stays);
  await program.managed.start();
  await program.managed.stop();
  writeFileSync(program.logFile, Buffer.alloc(20 * 1024 * 1024 + 1, 'x'));
  await program.managed.start();
  expect([statSync(`${program.logFile}.1`).size, statSync(program.logFile).size < 100]).toEqual([20 * 1024 * 1024 + 1, true]);
});

test('a log that grows too large while its process runs is begun anew, and written on', async () => {
  jest.useFakeTimers({ doNotFake: ['setTimeout', 'clearTimeout', 'performance', 'Date', 'nextTick', 'setImmediate', 'queueMicrotask'] });
  await using program = programOf(`process.on('SIGUSR2', () => console.log('again')); ${stays}`);
  await program.managed.start();
  writeFileSync(program.logFile, Buffer.alloc(20 * 1024 * 1024, 'x'), { flag: 'a' });
  jest.advanceTimersByTime(60_000);
  jest.useRealTimers();
  expect(statSync(`${program.logFile}.1`).size).toBeGreaterThan(20 * 1024 * 1024);
  program.managed.signal('SIGUSR2');
  await eventually(() => readFileSync(program.logFile, 'utf8') === 'again\n');
});

test('a log that cannot be kept, such as on a full disk, holds up nothing', async () => {
  await using program = programOf(stays);
  await program.managed.start();
  await program.managed.stop();
  mkdirSync(`${program.logFile}.1`);
  writeFileSync(program.logFile, Buffer.alloc(20 * 1024 * 1024 + 1, 'x'));
  await program.managed.start();
  expect(statSync(program.logFile).size).toBeGreaterThan(20 * 1024 * 1024);
});

test('one that runs again has a new pid and a new end', async () => {
  await using program = programOf(stays);
  await program.managed.start();
  const first = program.managed.pid;
  program.managed.signal('SIGKILL');
  await eventually(() => !program.managed.isRunning(), { what: 'the end of the first run' });
  await program.managed.start();
  expect(program.managed.pid).not.toBe(first);
  expect(program.managed.isRunning()).toBe(true);
});

test('what was ready is known after its end, and forgotten when the next one starts', async () => {
  await using program = programOf(stays);
  expect(program.managed.wasReady).toBe(false);
  await program.managed.start();
  await program.managed.stop();
  expect(program.managed.wasReady).toBe(true);
  program.managed.launch();
  expect(program.managed.wasReady).toBe(false);
});

test('an end is told in words', () => {
  expect(describeExit({ code: 1, signal: null })).toBe('exit code 1');
  expect(describeExit({ code: null, signal: 'SIGKILL' })).toBe('killed by SIGKILL');
});

test('the last lines of a log are fifteen, without the empty one at the end', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-log-'));
  const file = join(folder.path, 'x.log');
  writeFileSync(file, Array.from({ length: 20 }, (_, index) => `line ${index}\n`).join(''));
  expect(lastLines(file).split('\n')).toEqual(Array.from({ length: 15 }, (_, index) => `line ${index + 5}`));
});

import { spawn } from 'node:child_process';
import { existsSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { describe, expect, jest, test } from '@jest/globals';
import { CommandError } from '#lib/command-line';
import { succeedingProcess } from '#lib/platform';
import type { ProcessSpec } from './managed-process.js';
import { endLeftovers } from './provision/leftovers.js';
import { pickPort } from './provision/ports.js';
import { Supervisor, type RunningProcess } from './supervise.js';

const listener = `require('node:net').createServer().listen(Number(process.argv[1]), '127.0.0.1'); process.on('disconnect', () => process.exit())`;

test('a process that is killed comes back with another pid; one that was stopped does not', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-supervise-'));
  const { supervisor, spec, pid: first, running } = await supervised(folder.path);
  process.kill(first, 'SIGKILL');
  await until(() => running[0] !== undefined && running[0].pid !== first);
  await until(spec.isReady);

  await supervisor.stop(() => true);
  expect(running).toEqual([]);
  await sleep(400);
  expect(await answers(spec.port)).toBe(false);
  await expect(supervisor.start(spec)).rejects.toThrow('stopping');
});

test('one that was ready comes back at once however often it is killed; one that cannot start does ever later', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-supervise-'));
  const { supervisor, spec, pid, running } = await supervised(folder.path);
  const said: string[] = [];
  const streams = [process.stdout, process.stderr].map((stream) =>
    jest.spyOn(stream, 'write').mockImplementation((text) => said.push(String(text)) > 0),
  );
  let last = pid;
  for (let kills = 1; kills <= 3; kills++) {
    process.kill(last, 'SIGKILL');
    await until(() => said.filter((line) => line.includes('listener is back')).length === kills);
    last = running[0]?.pid ?? 0;
  }
  // Its code names no port from now on.
  Object.assign(spec, { args: ['-e', 'process.exit(1)'] });
  process.kill(last, 'SIGKILL');
  const delays = () => said.flatMap((line) => / Starting it again (.*); its log/.exec(line)?.[1] ?? []);
  await until(() => delays().length >= 6);
  await supervisor.stop(() => true);
  for (const stream of streams) stream.mockRestore();
  expect(delays().slice(0, 6)).toEqual(['now', 'now', 'now', 'now', 'in 200 ms', 'in 400 ms']);
});

test('each process is told which ones of its place have ended, also those that died at once', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-supervise-'));
  const said = join(folder.path, 'said');
  const lives = () => (existsSync(said) ? readFileSync(said, 'utf8').trim().split('\n\n') : []);
  const says = `
    const { appendFileSync, readFileSync } = require('node:fs');
    const { INVOQ_PROCESS, INVOQ_ENDED_PROCESSES } = process.env;
    appendFileSync('said', 'INVOQ_PROCESS=' + INVOQ_PROCESS + '\\nINVOQ_ENDED_PROCESSES=' + INVOQ_ENDED_PROCESSES + '\\n\\n');
    // The second and the third die before they listen.
    if ([2, 3].includes(readFileSync('said', 'utf8').trim().split('\\n\\n').length)) process.exit(1);`;
  const { supervisor, pid } = await supervised(folder.path, `${says}${listener}`);
  process.kill(pid, 'SIGKILL');
  await until(() => lives().length === 4);
  await supervisor.stop(() => true);
  const told = lives().map((text) => succeedingProcess(parseEnv(text)));
  const names = told.map((one) => one?.name);
  expect(new Set(names).size).toBe(4);
  expect(told.map((one) => one?.ended)).toEqual([[], names.slice(0, 1), names.slice(0, 2), names.slice(0, 3)]);
});

test('processes start, come back and stop also while the disk is full, so that they cannot be listed', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-supervise-'));
  const supervisor = new Supervisor(() => {
    throw new Error('ENOSPC: no space left on device');
  });
  const spec = await listenerIn(folder.path);
  await supervisor.start(spec);
  await supervisor.stop((name) => name === 'another');
  await supervisor.stop(() => true);
  expect(await answers(spec.port)).toBe(false);
});

test('a process that ends while starting is reported with its last words', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-supervise-'));
  const supervisor = new Supervisor(() => undefined);
  const spec = await listenerIn(folder.path);
  await expect(supervisor.start({ ...spec, args: ['-e', 'console.error("no such table"); process.exit(3)'] })).rejects.toThrow(
    /listener ended while starting \(exit code 3\)[^]*no such table/,
  );
  await supervisor.stop(() => true);
});

describe('work that needs a process', () => {
  test.each(['at once', 'later'])('tells which one has ended when it fails %s after that', async (when) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-supervise-'));
    const { supervisor, pid, running } = await supervised(folder.path);
    const work = supervisor.whileRunning(['listener'], async () => {
      process.kill(pid, 'SIGKILL');
      if (when === 'later') await until(() => running[0]?.pid !== pid);
      throw new Error('Connection terminated unexpectedly\n  at a line of a client');
    });
    await expect(work).rejects.toThrow(CommandError);
    await expect(work).rejects.toThrow(
      /^listener (\(pid \d+\) )?ended: killed by SIGKILL, while others were starting that need it \(Connection terminated unexpectedly\)\. The last lines of /,
    );
    await supervisor.stop(() => true);
  });

  test.each([['listener'], ['another']])('keeps its own error while %s has not ended', async (name) => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-supervise-'));
    const supervisor = new Supervisor(() => undefined);
    await supervisor.start(await listenerIn(folder.path));
    const failure = new Error('a fault of ours');
    await expect(supervisor.whileRunning([name], () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await supervisor.whileRunning([name], async () => 'result')).toBe('result');
    await supervisor.stop(() => true);
  });
});

test('only leftovers of the same data folder are ended', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-leftovers-'));
  const ours = spawn('sleep', ['60'], { env: { ...process.env, INVOQ_DATA_DIR: folder.path } });
  const foreign = spawn('sleep', ['60'], { env: { ...process.env, INVOQ_DATA_DIR: '/elsewhere' } });
  await endLeftovers(
    [ours, foreign].map(({ pid }) => ({ name: 'sleep', pid })),
    folder.path,
  );
  await until(() => ours.signalCode !== null);
  expect(foreign.signalCode).toBeNull();
  foreign.kill();
});

/** A supervisor with a running listener. `running` is what it has told last. */
async function supervised(folder: string, code = listener) {
  const running: RunningProcess[] = [];
  const supervisor = new Supervisor((now) => void running.splice(0, Infinity, ...now));
  const spec = await listenerIn(folder, code);
  await supervisor.start(spec);
  return { supervisor, spec, pid: running[0]?.pid ?? 0, running };
}

async function listenerIn(folder: string, code = listener): Promise<ProcessSpec> {
  const port = await pickPort();
  const logFile = join(folder, 'listener.log');
  const isReady = (): Promise<boolean> => answers(port);
  return {
    name: 'listener',
    command: process.execPath,
    args: ['-e', code, String(port)],
    cwd: folder,
    port,
    logFile,
    isNode: true,
    stopMs: 2_000,
    isReady,
  };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => {
      resolve(false);
    });
  });
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 10_000; !(await condition()); await sleep(20)) {
    if (performance.now() > deadline) throw new Error('it did not happen within 10 s');
  }
}

// `npm start` as a process: embedded stores, and a data folder of its own.
import { spawn } from 'node:child_process';
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { root } from '#lib/command-line';
import { acceptedShape, eventually, HttpCaller, jobShape } from '#lib/testing';
import { DataDir } from './provision/data-dir.js';
import { pickPort } from './provision/ports.js';

const timeoutMs = 120_000;
const processList = z.array(z.object({ name: z.string(), pid: z.int() }));
const toolList = z.object({ tools: z.array(z.looseObject({ name: z.string() })) });
/** Settings of the shell that runs the tests must not reach the start. */
const { REDIS_URL: _redis, DATABASE_URL: _database, NODE_ENV: _mode, ...clean } = process.env;

async function run(command: string, env: NodeJS.ProcessEnv): Promise<{ code: number | null; output: string }> {
  const child = spawn('npm', command.split(' '), { cwd: root, env: { ...clean, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += String(text)));
  const [code] = await new Promise<[number | null]>((resolve) => child.once('close', (status) => resolve([status])));
  return { code, output };
}

describe('npm start with two domains, in one process', () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-start-'));
  const dataDir = new DataDir(folder.path);
  const env: NodeJS.ProcessEnv = { INVOQ_DATA_DIR: folder.path, DOMAINS: 'profile,memotree' };
  const processes = () => processList.parse(dataDir.readJson('processes.json'));
  const written = (name: string) => dataDir.readEnv('dev.env')[name] ?? '';
  let ended: Promise<unknown>;
  let npmPid: number;
  let caller: HttpCaller;

  beforeAll(async () => {
    env['PORT'] = String(await pickPort());
    const npm = spawn('npm', ['start'], { cwd: root, env: { ...clean, ...env }, stdio: 'ignore' });
    npmPid = npm.pid ?? 0;
    ended = new Promise((resolve) => npm.once('close', resolve));
    await eventually(() => written('INVOQ_URL') !== '', { withinMs: timeoutMs, what: 'the start' });
    caller = new HttpCaller(written('INVOQ_URL'), written('INVOQ_API_KEY'));
  }, timeoutMs);

  afterAll(async () => {
    if (dataDir.supervisor() !== undefined) await run('stop', env);
    await ended;
    folder[Symbol.dispose]();
  }, timeoutMs);

  test('runs the gateway, one process of workers, and no stand-in that nobody would call', () => {
    expect(
      processes()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['gateway', 'postgres', 'redis', 'workers']);
  });

  test('has a health address for each worker', async () => {
    for (const worker of ['PROFILE_WORKER', 'MEMOTREE_WORKER']) {
      const answer = await fetch(`${written(`${worker}_HEALTH_URL`)}/healthz`);
      expect(await answer.json()).toEqual({ status: 'alive', domain: worker.split('_')[0]?.toLowerCase() });
    }
  });

  test('serves the tools of the two, lists no others, and says at once that it does not serve them', async () => {
    const figures = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
    expect(await caller.post('/tools/calc_metrics', figures)).toMatchObject({ status: 200, body: { success: true } });
    expect(await caller.post('/memotree/render_view', {})).toMatchObject({ status: 200 });
    const names = (await caller.get('/tools')).as(toolList).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['calc_metrics', 'render_view']));
    expect(names).not.toEqual(expect.arrayContaining(['get_weather']));
    for (const path of ['/tools/get_weather', '/stripe/get_account_status'])
      expect(await caller.post(path, {})).toMatchObject({ status: 404 });
  });

  test('its workers come back when their process is killed', async () => {
    const pid = processes().find(({ name }) => name === 'workers')?.pid ?? 0;
    process.kill(pid, 'SIGKILL');
    const figures = { height_cm: 180, weight_kg: 80, age: 45, gender: 'male', activity_level: 'light' };
    expect(await caller.post('/tools/calc_metrics', figures)).toMatchObject({ status: 200, body: { success: true } });
    expect(processes().find(({ name }) => name === 'workers')?.pid).not.toBe(pid);
  }, 60_000);

  test(
    'a call that the killed workers were handed waits for the next ones, and not until locks are over',
    async () => {
      const pid = processes().find(({ name }) => name === 'workers')?.pid ?? 0;
      const redis = new Redis(written('REDIS_URL'));
      let handed: string | undefined;
      for (let age = 20; handed === undefined; age++) {
        const figures = { height_cm: 165, weight_kg: 60, age, gender: 'female', activity_level: 'light' };
        expect(await caller.post('/tools/calc_metrics', figures)).toMatchObject({ status: 200 });
        process.kill(pid, 'SIGSTOP');
        const asked = await caller.post('/tools/calc_metrics', { ...figures, weight_kg: 61 }, { prefer: 'respond-async' });
        const { job_id: jobId } = asked.as(acceptedShape);
        const [lock] = await redis.keys(`*${jobId}:lock`);
        if (lock !== undefined) {
          await redis.pexpire(lock, timeoutMs);
          handed = jobId;
        } else process.kill(pid, 'SIGCONT');
      }
      process.kill(pid, 'SIGKILL');
      const job = async () => (await caller.get(`/jobs/${handed}`)).as(jobShape);
      await eventually(async () => (await job()).state === 'completed', { withinMs: timeoutMs / 2, what: 'the call that was handed over' });
      expect(await job()).toMatchObject({ attempts_made: 2 });
      redis.disconnect();
    },
    timeoutMs,
  );

  test('its variables say whose they are: loaded into a shell, its stores are no settings of another start', async () => {
    using other = mkdtempDisposableSync(join(tmpdir(), 'invoq-start-'));
    const loaded = dataDir.readEnv('dev.env');
    expect(loaded).toMatchObject({ REDIS_URL: expect.any(String), DATABASE_URL: expect.any(String) });
    // Stopped by its settings, before it starts anything.
    const { output } = await run('start', { ...loaded, WORKERS: '2', INVOQ_DATA_DIR: other.path });
    expect(output).toContain(`! The stores that ${dataDir.file('dev.env')} has put into this shell are not used`);
  }, 60_000);

  test('leaves nothing behind when npm is told to end', async () => {
    const pids = processes().map(({ pid }) => pid);
    process.kill(npmPid, 'SIGTERM');
    await eventually(() => dataDir.supervisor() === undefined && !pids.some(isAlive), {
      withinMs: 40_000,
      what: 'the end of all processes',
    });
    expect(processes()).toEqual([]);
  }, 60_000);

  test('stops by npm stop, which says when nothing runs', async () => {
    expect(await run('stop', env)).toMatchObject({ code: 0, output: expect.stringContaining('Nothing runs') });
  });
});

test(
  'what Node writes for its own options is no wrong setting, and a misspelt one is a warning',
  async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-start-'));
    const env = { NODE_OPTIONS: '--inspect=127.0.0.1:0', RATE_LIMTI_FREE: '1', WORKERS: '2', INVOQ_DATA_DIR: folder.path };
    const { output } = await run('start', env);
    expect(output).toMatch(/^error: these settings are not right.*\n {2}WORKERS must be together or apart$/m);
    expect(output).toMatch(/^! RATE_LIMTI_FREE is no setting; did you mean RATE_LIMIT_FREE\?$/m);
    expect(output).not.toMatch(/^ {2}(Debugger|For help)/m);
  },
  timeoutMs,
);

test(
  'all wrong settings are told at once, before anything is started',
  async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-start-'));
    const wrong = { DOMAINS: 'profil', WORKERS: '2', PORT: 'abc', LOG_LEVEL: 'loud', RATE_LIMIT_FREE: '-1', WORKER_CONCURRENCY: 'abc' };
    const { code, output } = await run('start', { ...wrong, INVOQ_DATA_DIR: folder.path });
    expect(code).toBe(1);
    expect(Object.keys(wrong).filter((name) => !output.includes(`\n  ${name} `))).toEqual([]);
    expect(output.match(/^ {2}PORT .*/gm)).toEqual(['  PORT must be a port number']);
    expect(output).not.toMatch(/✓|at file:/);
    expect(output).toContain(`(${join(root, '.env.example')} explains each)`);
  },
  timeoutMs,
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

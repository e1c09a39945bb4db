import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { AppProcess } from './app-process.js';
import { hourMs } from './clock/clock.js';
import { eventually } from './eventually.js';

/** An app as the product's are: it logs that it is ready, answers with the time and its settings, and stops when asked. */
const app = `
import { createServer } from 'node:http';
const log = (line) => console.log(JSON.stringify({ level: 'info', name: 'app', ...line }));
if (process.env.FAILS) { console.error('no such setting'); process.exit(7); }
const server = createServer((_, response) => response.end(JSON.stringify({ now: Date.now(), env: process.env })));
server.listen(Number(process.env.PORT), '127.0.0.1', () => {
  log({ event: 'ready', address: 'http://127.0.0.1:' + server.address().port });
});
if (!process.env.STAYS) process.on('SIGTERM', () => { log({ event: 'stopped' }); process.exit(0); });
else process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(9));
`;

describe('a process of the product', () => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-app-'));
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  write('package.json', JSON.stringify({ type: 'module', imports: { '#source-maps': './empty.js', '#telemetry': './empty.js' } }));
  write('empty.js', '');
  write('app.js', app);
  afterAll(() => folder.remove());

  let apps = 0;
  let one: AppProcess;
  beforeEach(() => {
    const logFile = join(folder.path, `${++apps}.log`);
    one = new AppProcess({ root: folder.path, main: 'app.js', env: { COLOUR: 'red' }, logFile });
  });

  const answer = z.object({ now: z.number(), env: z.record(z.string(), z.string()) });
  const answerOf = async () => answer.parse(await (await fetch(one.url)).json());

  test('is started when it says that it is ready, with its settings and none of ours', async () => {
    await using running = await one.start({ SHAPE: 'round' });
    const { env } = await answerOf();
    expect(env).toMatchObject({ COLOUR: 'red', SHAPE: 'round' });
    expect(Object.keys(env)).not.toContain('JEST_WORKER_ID');
    expect([running.isRunning, typeof running.pid, running.logs()[0]?.event]).toEqual([true, 'number', 'ready']);
    expect(running.startMs).toBeGreaterThan(0);
  });

  test('keeps its address when it is started again, and what it printed', async () => {
    await using running = await one.start({ SHAPE: 'round' });
    const { url, pid } = running;
    await running.restart();
    expect(running.url).toBe(url);
    expect(running.pid).not.toBe(pid);
    expect((await answerOf()).env).not.toHaveProperty('SHAPE');
    expect(running.logs().map(({ event }) => event)).toEqual(['ready', 'stopped', 'ready']);
  });

  test('that ends while it starts says why', async () => {
    await expect(one.start({ FAILS: '1' })).rejects.toThrow(/app\.js ended while starting \(7\):\n[^]*no such setting/);
    expect([one.isRunning, one.pid]).toEqual([false, undefined]);
  });

  test('tells how it ended: asked to stop, killed, or killed because it did not stop', async () => {
    await one.start();
    expect(await one.stop()).toBe(0);
    await one.start();
    await one.kill();
    expect(await one.exited).toBe('SIGKILL');
    await one.start({ STAYS: '1' });
    expect(await one.stop(50)).toBe('SIGKILL');
  });

  test('that hangs is woken to stop', async () => {
    await one.start();
    one.signal('SIGSTOP');
    expect(await one.stop()).toBe(0);
  });

  test('reads the time that it is told, also when it is started again', async () => {
    await using running = await one.start();
    const hoursAhead = async () => Math.round(((await answerOf()).now - Date.now()) / hourMs) + 0;
    expect(await hoursAhead()).toBe(0);
    await running.moveClock(25 * hourMs);
    expect(await hoursAhead()).toBe(25);
    await running.moveClock(26 * hourMs);
    expect(await hoursAhead()).toBe(26);
    await running.restart();
    expect(await hoursAhead()).toBe(26);
    await running.stop();
    await running.moveClock(27 * hourMs);
    await running.start();
    expect(await hoursAhead()).toBe(27);
  });

  test('does not see the setting of its clock, and is not kept alive by it', async () => {
    await using running = await one.start();
    expect(Object.keys((await answerOf()).env).filter((name) => name.includes('CLOCK'))).toEqual([]);
    write('short.js', `console.log('done')`);
    const short = new AppProcess({ root: folder.path, main: 'short.js', env: {}, logFile: join(folder.path, 'short.log') });
    short.launch();
    expect(await short.exited).toBe(0);
    expect(short.printed).toBe('done\n');
    expect(running.isRunning).toBe(true);
  });

  test('asks for settings anew at each start', async () => {
    let times = 0;
    const env = () => ({ TIMES: String(++times) });
    one = new AppProcess({ root: folder.path, main: 'app.js', env, logFile: join(folder.path, 'anew.log') });
    await using running = await one.start();
    expect((await answerOf()).env['TIMES']).toBe('1');
    await running.restart();
    expect((await answerOf()).env['TIMES']).toBe('2');
    await eventually(() => running.logs().length === 3, { what: 'three lines of log' });
  });
});

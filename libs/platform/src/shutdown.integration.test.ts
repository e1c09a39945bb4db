// Signals need a process of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { runInOrder } from './shutdown.js';

/** A process whose steps are these, which prints what it does; `then` runs once it is up. */
async function run(steps: string, then: string) {
  const code = `
    import { pino } from 'pino';
    import { shutDownOnSignal } from './dist/libs/platform/src/shutdown.js';
    const log = pino({ base: null, timestamp: false }, pino.destination(1));
    const say = (text) => process.stdout.write(text + '\\n');
    const alive = setInterval(() => {}, 1000);
    shutDownOnSignal({ log, deadlineMs: 200, steps: [${steps}] });
    ${then}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data) => (output += String(data)));
  const [exitCode] = await once(child, 'close');
  return { exitCode, output, order: [...output.matchAll(/^step (\w+)$/gm)].map(([, name]) => name) };
}

/** What a process prints whose supervisor has left the channel before it listens. */
async function runAlone(): Promise<{ readonly exitCode: unknown; readonly output: string }> {
  const code = `
    import { pino } from 'pino';
    import { shutDownOnSignal } from './dist/libs/platform/src/shutdown.js';
    const log = pino({ base: null, timestamp: false }, pino.destination(1));
    setInterval(() => {}, 1000);
    while (process.connected) await new Promise((done) => setTimeout(done, 10));
    shutDownOnSignal({ log, deadlineMs: 200, steps: [] });
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    timeout: 10_000,
  });
  let output = '';
  child.stdout?.on('data', (data) => (output += String(data)));
  child.disconnect();
  const [exitCode]: unknown[] = await once(child, 'exit');
  return { exitCode, output };
}

const terminate = "process.kill(process.pid, 'SIGTERM');";

describe('a process', () => {
  test.each(['SIGTERM', 'SIGINT'])('at %s runs its steps in order and leaves with 0', async (signal) => {
    const steps = "['a', () => say('step a')], ['b', async () => say('step b')]";
    expect(await run(steps, `process.kill(process.pid, '${signal}');`)).toMatchObject({ exitCode: 0, order: ['a', 'b'] });
  });

  test('goes on to the next step when one fails, and logs which one', async () => {
    const { exitCode, order, output } = await run("['a', () => { throw new Error('no') }], ['b', () => say('step b')]", terminate);
    expect([exitCode, order]).toEqual([0, ['b']]);
    expect(output).toContain('"step":"a"');
  });

  test('leaves at its deadline although a step hangs, and says so', async () => {
    const { exitCode, output } = await run("['a', () => new Promise(() => {})]", terminate);
    expect(exitCode).toBe(0);
    expect(output).toContain('shutdown-late');
  });

  test('that runs two apps leaves when both have stopped, each in its own order', async () => {
    const slow = 'new Promise((done) => setTimeout(done, 100))';
    const second = `shutDownOnSignal({ log, deadlineMs: 200, steps: [['c', () => ${slow}], ['d', () => say('step d')]] });`;
    const { exitCode, order, output } = await run("['a', () => say('step a')], ['b', () => say('step b')]", `${second} ${terminate}`);
    expect([exitCode, order]).toEqual([0, ['a', 'b', 'd']]);
    expect(output.match(/"event":"shutdown"/g)).toHaveLength(2);
    expect(output).not.toContain('shutdown-late');
  });

  test('leaves when its supervisor was gone before it listened', async () => {
    const { exitCode, output } = await runAlone();
    expect(exitCode).toBe(0);
    expect(output).toContain('supervisor gone');
  });

  test('leaves at once at a second signal', async () => {
    expect(await run("['a', () => new Promise(() => {})]", `${terminate} ${terminate}`)).toMatchObject({ exitCode: 1 });
  });

  test.each(["setImmediate(() => { throw new Error('lost') });", "Promise.reject(new Error('lost'));"])(
    'leaves with 1 and a fatal line when nothing handles a fault: %s',
    async (fault) => {
      const { exitCode, output } = await run('', fault);
      expect(exitCode).toBe(1);
      expect(output).toMatch(/"level":60.*lost/);
    },
  );
});

test('steps run one after the other, the next one only when the one before is done', async () => {
  const order: string[] = [];
  const failed: unknown[] = [];
  const slow = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    order.push('slow');
  };
  const broken = () => Promise.reject(new Error('no'));
  const log = { error: (line: unknown) => void failed.push(line) };
  await runInOrder(
    [
      ['slow', slow],
      ['broken', broken],
      ['last', () => void order.push('last')],
    ],
    log,
  );
  expect(order).toEqual(['slow', 'last']);
  expect(failed).toEqual([{ event: 'shutdown-step', step: 'broken', err: new Error('no') }]);
});

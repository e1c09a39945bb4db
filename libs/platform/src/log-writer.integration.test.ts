// The end of a process, and a pipe that nobody reads, need a process of their own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';

function start(code: string) {
  const program = `
    import { createLogger, logCall, processMetrics, shutDownOnSignal } from './dist/libs/platform/src/index.js';
    const log = createLogger('test', 'info');
    const say = (value) => process.stderr.write(JSON.stringify(value) + '\\n');
    ${code}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const said: unknown[] = [];
  child.stderr.on('data', (data) => {
    for (const line of String(data).split('\n').filter(Boolean)) said.push(JSON.parse(line));
  });
  return { child, said };
}

async function linesOf(child: ReturnType<typeof start>['child']): Promise<readonly { n?: number }[]> {
  let text = '';
  child.stdout.on('data', (data) => (text += String(data)));
  await once(child, 'close');
  return text
    .trim()
    .split('\n')
    .map((line): { n?: number } => JSON.parse(line));
}

const twentyThousand =
  "for (let n = 0; n < 20_000; n++) logCall(log, { level: 'info', message: 'call ended', fields: { n, text: 'ä'.repeat(50) } });";

test.each([
  [
    'SIGTERM',
    "shutDownOnSignal({ log, deadlineMs: 5_000, steps: [] }); process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1_000);",
  ],
  ['its own end', ''],
  ['process.exit', 'process.exit(0);'],
])('No line is lost at %s, and all are in order', async (_end, then) => {
  const { child } = start(
    `${twentyThousand} log.info({ n: 20_000 }); ${then === 'process.exit(0);' ? `log.flush(() => { log.info({ n: 20_001 }); ${then} });` : then}`,
  );
  const numbers = (await linesOf(child)).flatMap(({ n }) => n ?? []);
  expect(numbers.slice(0, 20_001)).toEqual(Array.from({ length: 20_001 }, (_, n) => n));
});

test('Lines are written within a second although few come', async () => {
  const { child } = start('log.info({ n: 1 }); setTimeout(() => {}, 5_000);');
  const startedAt = performance.now();
  await once(child.stdout, 'data');
  expect(performance.now() - startedAt).toBeLessThan(4_000);
  child.kill();
});

test('A pipe that nobody reads holds up nothing: the loop goes on, lines beyond 8 MB are dropped and counted, and the process ends', async () => {
  const { child, said } = start(`
    const text = 'x'.repeat(1_000);
    let longestMs = 0, last = performance.now(), written = 0;
    const timer = setInterval(async () => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - last);
      for (let n = 0; n < 200; n++) logCall(log, { level: 'info', message: 'call ended', fields: { text } });
      last = performance.now();
      if ((written += 200) < 20_000) return;
      clearInterval(timer);
      const counted = await processMetrics.getSingleMetric('invoq_dropped_log_lines_total').get();
      say({ longestMs, dropped: counted.values[0].value });
      log.flush(() => process.exit(0));
    }, 1);
  `);
  // Not read at all until it has ended.
  child.stdout.pause();
  while (said.length === 0) await once(child.stderr, 'data');
  const [facts] = said;
  expect(facts).toMatchObject({ dropped: expect.any(Number), longestMs: expect.any(Number) });
  const { dropped, longestMs } = Object.assign({ dropped: 0, longestMs: 0 }, facts);
  expect(dropped).toBeGreaterThan(8_000);
  expect(dropped).toBeLessThan(14_000);
  expect(longestMs).toBeLessThan(1_000);
  await once(child, 'exit');
}, 40_000);

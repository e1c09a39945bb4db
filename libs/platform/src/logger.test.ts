import { describe, expect, test } from '@jest/globals';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { pino } from 'pino';
import { logCall, loggerOptions } from './logger.js';
import { nestLogger } from './nest-logger.js';

function readable(level = 'trace') {
  const lines: Record<string, unknown>[] = [];
  const log = pino(loggerOptions('gateway', level), { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

describe('a log line', () => {
  test('has the process, the level by name and the time in ISO 8601', () => {
    const { log, lines } = readable();
    log.info({ event: 'ready' }, 'up');
    expect(lines).toEqual([
      expect.objectContaining({
        name: 'gateway',
        level: 'info',
        event: 'ready',
        msg: 'up',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      }),
    ]);
  });

  test('below the level is not written', () => {
    const { log, lines } = readable('warn');
    log.info('quiet');
    expect(lines).toEqual([]);
  });

  test.each([
    [{ authorization: 'Bearer x' }],
    [{ headers: { authorization: 'Bearer x', cookie: 'x' } }],
    [{ req: { headers: { authorization: 'Bearer x' } } }],
    [{ upstream: { authorization: 'Bearer x' } }],
  ])('hides the credentials of %j', (fields) => {
    const { log, lines } = readable();
    log.info(fields);
    expect(JSON.stringify(lines)).not.toMatch(/Bearer|"x"/);
  });
});

describe('a line of a call', () => {
  const fields = {
    rows: 3,
    trace_id: 'trace_x',
    request_id: null,
    params: { text: 'quotes " and \\ and \n and \u2028', list: [1, null], nested: { a: true } },
    left_out: undefined,
    event: 'call-end',
  };
  /** The line without its time. */
  const timeless = ({ time, ...line }: Record<string, unknown> = {}) => {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    return line;
  };
  const both = (level: 'info' | 'error') => {
    const { log, lines } = readable();
    const child = log.child({ part: 'child' });
    log[level](fields, 'call ended');
    logCall(log, { level, message: 'call ended', fields });
    child[level](fields, 'call ended');
    logCall(child, { level, message: 'call ended', fields });
    return lines.map(timeless);
  };

  test.each(['info', 'error'] as const)('has every field of any other line of level %s', (level) => {
    const [plain, fast, ofChild, fastOfChild] = both(level);
    expect(fast).toEqual(plain);
    expect(fastOfChild).toEqual(ofChild);
    expect(fast).toMatchObject({ level, name: 'gateway', pid: process.pid, hostname: expect.any(String), msg: 'call ended', rows: 3 });
  });

  test('has the span in which it is written', () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    const spanContext = { traceId: '1'.repeat(32), spanId: '2'.repeat(16), traceFlags: 1 };
    const [plain, fast] = context.with(trace.setSpanContext(context.active(), spanContext), () => both('info'));
    context.disable();
    expect(fast).toEqual(plain);
    expect(fast).toMatchObject({ w3c_trace_id: spanContext.traceId, span_id: spanContext.spanId });
  });

  test('below the level is not written', () => {
    const { log, lines } = readable('warn');
    logCall(log, { level: 'info', message: 'call ended', fields });
    expect(lines).toEqual([]);
  });
});

describe('an error in a log line', () => {
  test('has its class, code, message, stack and cause, and nothing else that a library hung on it', () => {
    const { log, lines } = readable();
    const cause = new TypeError('socket closed');
    log.warn({ err: Object.assign(new Error('away', { cause }), { code: 'ECONNRESET', config: { password: 'hunter2' } }) });
    expect(lines[0]?.['err']).toEqual({
      type: 'Error',
      code: 'ECONNRESET',
      message: 'away',
      stack: expect.stringContaining('logger.test'),
      cause: { type: 'TypeError', message: 'socket closed' },
    });
  });

  test.each([
    ['text', 'text'],
    [undefined, 'undefined'],
    [{ a: 1 }, '[object Object]'],
    ['x'.repeat(1_000), 'x'.repeat(500)],
  ])('that is none (%#) is its text, bounded', (thrown, message) => {
    const { log, lines } = readable();
    log.warn({ err: thrown ?? null, was: 1 });
    expect(lines[0]?.['err']).toEqual({ message: thrown === undefined ? 'null' : message });
  });

  test('has bounded texts', () => {
    const { log, lines } = readable();
    log.warn({ err: Object.assign(new Error('x'.repeat(9_000)), { stack: 'y'.repeat(9_000) }) });
    expect(lines[0]).toMatchObject({ err: { message: 'x'.repeat(500), stack: 'y'.repeat(4_000) } });
  });
});

test('Nest’s own messages are in our log: its start-up at debug, its faults with their stacks', () => {
  const { log, lines } = readable();
  const nest = nestLogger(log);
  nest.log('Mapped {/readyz, GET} route');
  nest.warn('slow');
  nest.error('broken', 'at file.js:1');
  expect(lines.map(({ level, msg, stack }) => [level, msg, stack])).toEqual([
    ['debug', 'Mapped {/readyz, GET} route', undefined],
    ['warn', 'slow', undefined],
    ['error', 'broken', 'at file.js:1'],
  ]);
});

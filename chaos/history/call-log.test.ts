import { describe, expect, test } from '@jest/globals';
import { CallLog } from './call-log.js';
import { canonical } from './canonical.js';

const envelope = (job_id: string | undefined, success = true) => ({
  success,
  ...(!success && { error: { code: 'TIMEOUT', retryable: true } }),
  metadata: { trace_id: 'trace_1', attempts: 2, ...(job_id !== undefined && { job_id }) },
});
const newLog = () => new CallLog({ id: 'call-1', kind: 'effect' });

describe('the record of a call', () => {
  test('begins without a job, an ending or an end', () => {
    const log = newLog();
    expect([log.jobId, log.isOk, log.endedAt]).toEqual([null, false, null]);
    expect(log.record()).toMatchObject({ id: 'call-1', kind: 'effect', endedAt: null, requests: [], endings: [], jobIds: [], events: [] });
  });

  test('names every job that an answer named, once, the first one first', () => {
    const log = newLog();
    log.acknowledged('inv_1');
    log.event({ jobId: 'inv_1', seq: 1, isTerminal: false, connection: 1 });
    log.ending('answer', envelope('inv_2'));
    expect([log.jobId, log.record().jobIds]).toEqual(['inv_1', ['inv_1', 'inv_2']]);
  });

  test('keeps every ending, and is ok by the first', () => {
    const log = newLog();
    log.ending('stream', envelope('inv_1', false));
    log.ending('audit', envelope('inv_1'));
    expect(log.isOk).toBe(false);
    expect(log.record().endings).toMatchObject([
      { where: 'stream', ok: false, code: 'TIMEOUT', attempts: 2 },
      { where: 'audit', ok: true, code: null, attempts: 2 },
    ]);
  });

  test('ends once', () => {
    const log = newLog();
    log.end();
    const { endedAt } = log;
    log.end();
    expect([typeof endedAt, log.endedAt]).toEqual(['number', endedAt]);
  });
});

describe('canonical JSON', () => {
  test.each([
    [
      { b: 1, a: { d: 1, c: 2 } },
      { a: { c: 2, d: 1 }, b: 1 },
    ],
    [[{ b: 1, a: 2 }], [{ a: 2, b: 1 }]],
  ])('of %j is that of %j', (one, other) => expect(canonical(one)).toBe(canonical(other)));

  test.each([
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { a: '1' }],
    [{ a: null }, {}],
  ])('of %j is not that of %j', (one, other) => expect(canonical(one)).not.toBe(canonical(other)));
});

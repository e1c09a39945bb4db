// The judge is shown to be able to condemn: each history breaks one thing, and exactly that is found.
import { describe, expect, test } from '@jest/globals';
import type { History } from '../history/history.js';
import { allOf, check, sum } from './check.js';
import { audit, call, ending, events, fault, history, jobOf, order, stream } from './synthetic.js';

const found = (broken: Partial<History>) =>
  check(history(broken)).violations.map(({ invariant, kind, fault: id }) => `${invariant} ${kind} ${id}`);

test('a faultless history has no violations', () => {
  expect(check(history()).violations).toEqual([]);
});

describe('endings', () => {
  test('404 for an acknowledged job, while polling', () => {
    const requests = [{ at: 1_000, ms: 5, gateway: 1, what: 'poll', answer: 404, isEnvelope: true } as const];
    expect(found({ calls: [call('a', { requests }), stream('b', events('b', 1))] })).toEqual(['I1 not-found F01.1']);
  });

  test('ended, and missing from the history of calls, or in it twice', () => {
    expect(found({ audits: [audit('a', { inHistory: 0 }), audit('b', { inHistory: 2 })] })).toEqual([
      'I3 not-in-history-once F01.1',
      'I3 not-in-history-once F01.1',
    ]);
  });

  test('404 for an acknowledged job, in the end', () => {
    expect(found({ audits: [audit('a', { status: 404, state: null }), audit('b')] })).toEqual(['I1 not-found F01.1']);
  });

  test('an acknowledged job that never ended', () => {
    const calls = [call('a', { endedAt: null, endings: [] }), call('b'), call('c'), call('d')];
    const upstream = ['a', 'b', 'c', 'd'].map((id) => order(id));
    expect(found({ calls, upstream, audits: [audit('a', { state: 'active' }), audit('b'), audit('c'), audit('d')] })).toEqual([
      'I3 lost F01.1',
    ]);
  });

  test('an acknowledged job that nobody can be asked about', () => {
    expect(found({ audits: [audit('a', { status: 503, state: null }), audit('b')] })).toEqual(['I3 lost F01.1']);
  });

  test('an ending that changed', () => {
    const endings = [ending('a'), ending('a', { where: 'audit', ok: false, envelope: '{"other":true}' })];
    expect(found({ calls: [call('a', { endings }), stream('b', events('b', 1))] })).toEqual(['I2 changed-ending F01.1']);
  });

  test('a last event that differs from the polled result', () => {
    const endings = [ending('b', { where: 'stream' }), ending('b', { where: 'audit', envelope: '{"data":2}' })];
    expect(found({ calls: [call('a'), stream('b', events('b', 1), { endings })] })).toEqual(['I2 changed-ending F01.1']);
  });

  test('two jobs for one idempotency key', () => {
    expect(found({ calls: [call('a', { jobIds: [jobOf('a'), 'inv_other'] }), stream('b', events('b', 1))] })).toEqual([
      'I5 split-key F01.1',
    ]);
  });
});

describe('effects', () => {
  test('two effects of one invocation', () => {
    const effects = [1, 2].map((n) => ({ id: `eff_${n}`, key: jobOf('a'), at: 1_050 }));
    expect(found({ upstream: [order('a', { effects })] })).toEqual(['I4 duplicated-effect F01.1']);
  });

  test('upstream calls of one invocation under two keys', () => {
    const calls = [jobOf('a'), 'inv_other'].map((key) => ({ key, attempt: 1, pid: 1, at: 1_050 }));
    expect(found({ upstream: [order('a', { calls })] })).toEqual(['I4 two-keys F01.1']);
  });

  test('an effect that nobody asked for', () => {
    expect(found({ upstream: [order('a'), order('stranger')] })).toEqual(['I4 unexpected run']);
  });

  test('success without an effect', () => {
    expect(found({ upstream: [] })).toEqual(['I4 missing-effect F01.1']);
  });
});

describe('streams', () => {
  const streamed = (...places: readonly number[]) => found({ calls: [call('a'), stream('b', events('b', ...places))] });

  test('a gap', () => expect(streamed(1, 3)).toEqual(['I6 stream-gap F01.1']));
  test('a beginning that is missing', () => expect(streamed(2, 3)).toEqual(['I6 stream-gap F01.1']));
  test('a duplicate', () => expect(streamed(1, 2, 2, 3)).toEqual(['I6 stream-duplicate F01.1']));
  test('a wrong order', () => expect(streamed(1, 3, 2, 4)).toEqual(['I6 stream-gap F01.1', 'I6 stream-reorder F01.1']));

  test('two terminal events', () => {
    const seen = [...events('b', 1, 2), ...events('b', 3)];
    expect(found({ calls: [call('a'), stream('b', seen)] })).toEqual(['I6 two-terminals F01.1']);
  });

  test('an event after the end', () => {
    const seen = [...events('b', 1), { jobId: jobOf('b'), seq: 2, isTerminal: false, connection: 1 }];
    expect(found({ calls: [call('a'), stream('b', seen)] })).toEqual(['I6 event-after-end F01.1']);
  });

  test('a stream that is said to be over without a terminal event', () => {
    const seen = events('b', 1, 2).map((event) => ({ ...event, isTerminal: false }));
    expect(found({ calls: [call('a'), stream('b', seen)] })).toEqual(['I6 no-terminal F01.1']);
  });
});

describe('answers', () => {
  const answered = (request: object) =>
    found({ calls: [call('a', { requests: [{ at: 1_000, ms: 90_000, gateway: 0, what: 'call', answer: 503, ...request }] })] });

  test('a request without an answer', () => expect(answered({ answer: 'hung' })).toEqual(['I10 hung F01.1']));
  test('an error that is no envelope', () => expect(answered({ isEnvelope: false })).toEqual(['I10 no-envelope F01.1']));
  test('an error that is an envelope is none', () => expect(answered({ isEnvelope: true })).toEqual([]));

  test('a blameless call that is told not to come back', () => {
    const calls = [call('a', { endings: [], jobIds: [] }), call('b'), call('c'), call('d')];
    expect(found({ calls, upstream: calls.map(({ id }) => order(id)) })).toEqual(['I10 refused-for-good F01.1']);
  });

  test('a process that died by itself', () => {
    expect(found({ deaths: [{ at: 1_500, name: 'worker-1', how: 'exit code 1' }] })).toEqual(['I10 died run']);
  });
});

describe('a fault that may lose calls', () => {
  const loss = { from: 900, isCertain: true };
  const gone = [audit('a', { status: 404, state: null }), audit('b')];

  test('is excused for those of its time', () => {
    expect(found({ audits: gone, faults: [fault({ loss })] })).toEqual([]);
  });

  test('is not excused for those that had ended before', () => {
    expect(found({ audits: gone, faults: [fault({ loss: { from: 1_101, isCertain: false } })] })).toEqual(['I1 not-found F01.1']);
  });

  test('is not excused for those that came after it', () => {
    const calls = [call('a', { startedAt: 2_001, endedAt: 2_100 }), stream('b', events('b', 1, 2, 3))];
    const faults = [fault({ loss: { from: 900, isCertain: false } })];
    expect(found({ calls, audits: gone, faults })).toEqual(['I1 not-found F01.1']);
  });

  test('is not excused for requests without an answer', () => {
    const requests = [{ at: 1_000, ms: 90_000, gateway: 0, what: 'call', answer: 'hung' } as const];
    const calls = [call('a', { requests }), stream('b', events('b', 1, 2, 3))];
    expect(found({ calls, audits: gone, faults: [fault({ loss })] })).toEqual(['I10 hung F01.1']);
  });

  test('says nothing when it has lost nothing', () => {
    expect(found({ faults: [fault({ loss })] })).toEqual(['I11 nothing-lost F01.1']);
  });
});

describe('the run itself', () => {
  test('something that the fault saw', () =>
    expect(found({ faults: [fault({ findings: ['too late'] })] })).toEqual(['I8 not-as-promised F01.1']));

  test('a fault that hit nobody', () => expect(found({ faults: [fault({ hit: 19 })] })).toEqual(['I11 too-few-hits F01.1']));
  test('a fault that could not be injected', () =>
    expect(found({ faults: [fault({ hit: 0, error: 'no' })] })).toEqual(['I11 not-injected F01.1']));
  test('throughput that did not come back', () =>
    expect(found({ faults: [fault({ recoveryMs: null })] })).toEqual(['I9 not-recovered F01.1']));

  const failing = (id: string) => call(id, { endings: [ending(id, { ok: false, code: 'NETWORK_ERROR' })] });

  test('too few successes', () => {
    expect(found({ calls: [call('a'), failing('b'), failing('c')], faults: [fault(), fault({ id: 'F06' })] })).toEqual([
      'I11 too-few-successes run',
    ]);
  });

  test('no calls at all', () => expect(found({ calls: [], audits: [], upstream: [] })).toEqual(['I11 too-few-successes run']));

  test('a failure after a single fault, but not after two', () => {
    const calls = [failing('a'), ...['b', 'c', 'd'].map((id) => call(id))];
    const upstream = ['b', 'c', 'd'].map((id) => order(id));
    expect(found({ calls, upstream })).toEqual(['I9 needless-failure F01.1']);
    expect(found({ calls, upstream, faults: [fault(), fault({ id: 'F06' })] })).toEqual([]);
  });

  test('a failure of a kind that the fault may make fail, and of no other', () => {
    const calls = [failing('a'), ...['b', 'c', 'd'].map((id) => call(id))];
    const upstream = ['b', 'c', 'd'].map((id) => order(id));
    expect(found({ calls, upstream, faults: [fault({ mayFail: ['effect'] })] })).toEqual([]);
    expect(found({ calls, upstream, faults: [fault({ mayFail: ['lookup'] })] })).toEqual(['I9 needless-failure F01.1']);
  });

  test('an end that the client asked for is no failure', () => {
    const requests = [{ at: 1_000, ms: 5, gateway: 1, what: 'cancel', answer: 202 } as const];
    const cancelled = call('a', { kind: 'cancel', requests, endings: [ending('a', { ok: false, code: 'CANCELLED' })] });
    const others = ['b', 'c', 'd'].map((id) => call(id));
    const upstream = ['b', 'c', 'd'].map((id) => order(id));
    expect(found({ calls: [cancelled, ...others], upstream })).toEqual([]);
    expect(found({ calls: [{ ...cancelled, requests: [] }, ...others], upstream })).toEqual(['I9 needless-failure F01.1']);
  });

  test('a failure that no fault explains', () => {
    const calls = [
      call('a', { startedAt: 10_000, endedAt: 10_100, endings: [ending('a', { ok: false })] }),
      ...['b', 'c', 'd'].map((id) => call(id)),
    ];
    const upstream = ['b', 'c', 'd'].map((id) => order(id));
    expect(found({ calls, upstream })).toEqual(['I9 needless-failure calm']);
  });
});

test('counts what became of the calls, by fault and in total', () => {
  const calls = [
    call('ok'),
    call('again', { endings: [ending('again', { attempts: 2 })] }),
    call('failed', { endings: [ending('failed', { ok: false, code: 'TIMEOUT' })] }),
    call('given-up', { endedAt: null, endings: [ending('given-up', { where: 'audit' })] }),
    call('lost', { endedAt: null, endings: [] }),
    call('unknown', { endedAt: null, endings: [], jobIds: [] }),
    stream('resumed', [...events('resumed', 1), { jobId: jobOf('resumed'), seq: 2, isTerminal: true, connection: 2 }]),
    call('calm', { startedAt: 10_000, endedAt: 10_100 }),
  ];
  const audits = ['ok', 'again', 'failed', 'given-up', 'resumed', 'calm'].map((id) => audit(id));
  const { byFault } = check(history({ calls, audits: [...audits, audit('lost', { state: 'waiting' })] }));
  expect(sum(byFault.values())).toEqual({
    attempted: 8,
    acknowledged: 7,
    ok: 4,
    failed: 1,
    recovered: 1,
    lost: 1,
    indeterminate: 1,
    ranAgain: 1,
    doubled: 0,
    resumed: 1,
  });
  expect(byFault.get('F01.1')?.attempted).toBe(7);
  expect(byFault.get('calm')?.attempted).toBe(1);
});

test('several runs are counted as one', () => {
  const verdict = check(history());
  const both = allOf([verdict, check(history({ audits: [audit('a', { state: 'active' }), audit('b')] }))]);
  expect(both.byFault.get('F01.1')).toMatchObject({ attempted: 4, lost: 1 });
  expect(both.violations.map(({ kind }) => kind)).toEqual(['lost']);
});

import { expect, test } from '@jest/globals';
import { RestartDelay, type EndedProcess } from './restart-delay.js';

const killed: EndedProcess = { exit: { code: null, signal: 'SIGKILL' }, wasReady: true, ranMs: 1_000 };
const asked: EndedProcess = { ...killed, exit: { code: 0, signal: null } };
const killedEarly: EndedProcess = { ...killed, wasReady: false };
const failed: EndedProcess = { exit: { code: 1, signal: null }, wasReady: false, ranMs: 1_000 };
const failedReady: EndedProcess = { ...failed, wasReady: true };
const aborted: EndedProcess = { exit: { code: null, signal: 'SIGABRT' }, wasReady: true, ranMs: 1_000 };
const stable: EndedProcess = { ...failed, wasReady: true, ranMs: 31_000 };

test.each<[string, readonly EndedProcess[], readonly number[]]>([
  ['that was ready and is killed again and again is back at once', Array.from({ length: 10 }, () => killed), Array(10).fill(0)],
  ['that was ready and is asked to end is back at once', [asked, asked], [0, 0]],
  [
    'that ends by itself while it starts stays away ever longer',
    Array.from({ length: 7 }, () => failed),
    [200, 400, 800, 1_600, 3_200, 5_000, 5_000],
  ],
  ['that ends by itself when it is ready does too', [failedReady, aborted, failedReady], [200, 400, 800]],
  ['that ran for half a minute begins anew', [failed, failed, stable, failed], [200, 400, 200, 400]],
  [
    'that is killed while it starts stays away for a second at most',
    Array.from({ length: 5 }, () => killedEarly),
    [200, 400, 800, 1_000, 1_000],
  ],
  ['that could live before it was killed begins anew', [failed, failed, failed, killed, failed], [200, 400, 800, 0, 200]],
])('a process %s', (_, ends, delays) => {
  const delay = new RestartDelay();
  expect(ends.map((end) => delay.after(end))).toEqual(delays);
});

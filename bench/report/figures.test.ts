import { describe, expect, test } from '@jest/globals';
import { aimLines } from './aims.js';
import type { BenchRun } from './bench-run.js';
import { Cells, type Measurement } from './cells.js';
import { faultsOf } from './faults.js';

const measurement = (own: Partial<Measurement> = {}): Measurement => ({
  round: 1,
  subject: 'uncached',
  concurrency: 64,
  calls: 1_000,
  failures: 0,
  firstFailure: null,
  perSecond: 100,
  p50Ms: 10,
  p99Ms: 20,
  workerRuns: 1_000,
  cpuMsPerCall: {},
  othersCores: null,
  ...own,
});
const rounds = (subject: Measurement['subject'], figures: readonly number[], concurrency = 64) =>
  figures.map((perSecond, index) => measurement({ subject, concurrency, round: index + 1, perSecond, p50Ms: perSecond }));

describe('cells', () => {
  test.each([
    [[7], 7],
    [[3, 1], 2],
    [[9, 1, 5], 5],
    [[4, 1, 2, 3], 2.5],
  ])('of rounds %j have the median %d', (figures, median) => {
    expect(new Cells(rounds('uncached', figures)).median('uncached', 64, 'perSecond')).toBe(median);
  });

  test('that were not measured have no figures', () => {
    const cells = new Cells(rounds('uncached', [1]));
    expect(cells.median('uncached', 1, 'perSecond')).toBeNaN();
    expect(cells.ratio(['uncached', ['bullmq']], 64, 'perSecond')).toBeNaN();
    expect([cells.othersCores, cells.cpu('bullmq', 64).size]).toEqual([null, 0]);
  });

  test('are compared round by round: a slow round of both subjects changes no ratio', () => {
    const cells = new Cells([...rounds('uncached', [60, 6, 54]), ...rounds('bullmq', [100, 10, 90])]);
    expect(cells.ratio(['uncached', ['bullmq']], 64, 'perSecond')).toBeCloseTo(0.6, 10);
  });

  test('are compared with the best of several, in each round', () => {
    const cells = new Cells([...rounds('uncached', [60, 6, 54]), ...rounds('bullmq', [100, 5, 90]), ...rounds('bullmqFew', [90, 10, 80])]);
    expect(cells.ratio(['uncached', ['bullmq', 'bullmqFew']], 64, 'perSecond')).toBeCloseTo(0.6, 10);
    expect(cells.ratio(['uncached', ['bullmq', 'bullmqFew']], 64, 'p50Ms')).toBeCloseTo(0.675, 10);
  });

  test('have the median processor time of each process, and the mean of what others took where it is known', () => {
    const cells = new Cells([
      measurement({ cpuMsPerCall: { gateway: 1, redis: 4 }, othersCores: 0.5 }),
      measurement({ cpuMsPerCall: { gateway: 3 }, othersCores: null }),
      measurement({ cpuMsPerCall: { gateway: 2, redis: 5 }, othersCores: 1.5 }),
    ]);
    expect(Object.fromEntries(cells.cpu('uncached', 64))).toEqual({ gateway: 2, redis: 4 });
    expect(cells.othersCores).toBe(1);
  });
});

describe('the aims', () => {
  test.each([
    [0.85, 1.7, ['met', 'met', 'met']],
    [0.84, 1.71, ['MISSED', 'MISSED', 'MISSED']],
  ])('with %d of the throughput and %d times the latency are %j', (share, times, verdicts) => {
    const cells = new Cells([
      ...rounds('uncached', [100 * share]),
      ...rounds('bullmq', [100]),
      ...rounds('bullmqFew', [50]),
      ...rounds('uncached', [times], 1),
      ...rounds('bullmq', [1], 1),
      ...rounds('bullmqFew', [2], 1),
      ...rounds('cached', [100 * (share - 0.39999)]),
      ...rounds('fastify', [100]),
    ]);
    expect(aimLines(cells).map((line) => line.split(' ').at(-1))).toEqual(verdicts);
  });

  test('are not spoken of for concurrencies that were not measured', () => expect(aimLines(new Cells([]))).toEqual([]));
});

describe('the faults of a run', () => {
  const run = (measurements: readonly Measurement[], workerRuns = { counted: 1, answered: 1 }): BenchRun => ({
    cells: new Cells(measurements),
    concurrencies: [64],
    processes: [],
    memoryMb: { atRest: {}, afterwards: {} },
    workerRuns,
  });

  test.each([
    ['none', {}, []],
    ['failed calls', { failures: 2, firstFailure: 'cut' }, ['2 calls failed, the first with: cut']],
    ['fewer calls than callers', { calls: 63, workerRuns: 63 }, ['63 calls are too few']],
    ['as many calls as callers', { calls: 64, workerRuns: 64 }, []],
    ['fewer than twenty calls', { concurrency: 1, calls: 19, workerRuns: 19 }, ['19 calls are too few']],
    ['calls that no worker ran', { workerRuns: 999 }, ['1000 calls but 999 runs']],
    ['calls from the cache that no worker ran', { subject: 'cached', workerRuns: 0 }, []],
  ] as const)('%s', (_what, own, faults) => {
    const found = faultsOf(run([measurement(own)]));
    expect(found).toHaveLength(faults.length);
    for (const [index, fault] of faults.entries()) expect(found[index]).toContain(fault);
  });

  test('are there when the worker counted other runs than the answers', () => {
    expect(faultsOf(run([], { counted: 5, answered: 4 }))).toEqual(['the worker counted 5 attempts where the answers speak of 4']);
  });
});

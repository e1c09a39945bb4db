import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { domains } from '#lib/contracts';
import {
  acceptedShape,
  givenStores,
  HttpCaller,
  jobShape,
  PrometheusText,
  startSystem,
  startTimeoutMs,
  Tenant,
  type System,
} from '#lib/testing';
import { expectRefusal } from '../expectations.js';

const { tenantShare } = domains.profile;
const maxOpen = 2_000;
/** For tenants with little open. */
const reserve = maxOpen / 10;
const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const atOnce = 50;

describe('more work than the workers can do', () => {
  let system: System;
  let crowd: HttpCaller;
  let neighbour: Tenant;
  let quiet: HttpCaller;
  let newcomer: Tenant;
  let third: HttpCaller;

  beforeAll(async () => {
    system = await startSystem({ gateways: 2, gatewayEnv: { MAX_OPEN: `profile:${maxOpen}` } });
    crowd = await system.caller({ tier: 'vip' });
    neighbour = await Tenant.create(givenStores().databaseUrl);
    quiet = new HttpCaller(system.gateway.url, await neighbour.key({ tier: 'vip' }));
    newcomer = await Tenant.create(givenStores().databaseUrl);
    third = new HttpCaller(system.gateway.url, await newcomer.key({ tier: 'vip' }));
    await crowd.call('calc_metrics', body);
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await neighbour?.[Symbol.asyncDispose]();
    await newcomer?.[Symbol.asyncDispose]();
  });

  const enqueue = (caller: HttpCaller, index: number) =>
    caller.at(system.gateways[index % 2]?.url ?? '').post('/tools/calc_metrics?enable_cache=false', body, { prefer: 'respond-async' });
  /** Enqueues until the caller is refused: how many were let in, of how many nobody knows, and the refusal. */
  const fill = async (caller: HttpCaller) => {
    for (let accepted = 0, unclear = 0; ;) {
      const replies = await Promise.all(Array.from({ length: atOnce }, (_, index) => enqueue(caller, index)));
      const refusals = replies.filter(({ text }) => /"code":"(RATE_LIMITED|OVERLOADED)"/.test(text));
      const inside = replies.filter(({ status }) => status === 202).length;
      accepted += inside;
      // A busy machine may not have its answer from Redis in time; the call may have been accepted.
      unclear += replies.length - inside - refusals.length;
      const [refused] = refusals;
      if (refused) return { accepted, unclear, refused };
      if (accepted > maxOpen) throw new Error(`${accepted} were let in`);
    }
  };
  const expectAccepted = ({ accepted, unclear }: { accepted: number; unclear: number }, bound: number) => {
    expect(accepted).toBeLessThanOrEqual(bound);
    expect(accepted).toBeGreaterThanOrEqual(bound - unclear);
  };

  test('does not hold up a neighbour who calls now and then', async () => {
    await system.pauseWorkers();
    const crowded = 1_000;
    const jobs: string[] = [];
    while (jobs.length < crowded) {
      const replies = await Promise.all(Array.from({ length: atOnce }, (_, index) => enqueue(crowd, index)));
      jobs.push(...replies.map((reply) => reply.as(acceptedShape).job_id));
    }
    const own = (await enqueue(quiet, 0)).as(acceptedShape).job_id;
    system.worker.signal('SIGCONT');
    const endOf = async (caller: HttpCaller, jobId = '') => {
      const { state, finished_at } = (await caller.get(`/jobs/${jobId}?wait=30`)).as(jobShape);
      expect(state).toBe('completed');
      return Date.parse(finished_at ?? '');
    };
    const [ownEnd, half, last] = await Promise.all([endOf(quiet, own), endOf(crowd, jobs[crowded / 2]), endOf(crowd, jobs.at(-1))]);
    expect(ownEnd).toBeLessThan(half);
    expect(half).toBeLessThan(last);
  }, 120_000);

  test('is refused at the share of a tenant, then at the bound of all, at once and with a time; what was let in is done', async () => {
    await system.pauseWorkers();
    const first = (await enqueue(crowd, 0)).as(acceptedShape);
    const mine = await fill(crowd);
    expectAccepted(mine, maxOpen * tenantShare - 1);
    const limited = expectRefusal(mine.refused, { status: 429, code: 'RATE_LIMITED', tool: 'calc_metrics' });
    expect(limited.error).toMatchObject({ retryable: true, retry_after_ms: expect.any(Number) });
    expect(Number(mine.refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);

    const theirs = await fill(quiet);
    expectAccepted(theirs, maxOpen - maxOpen * tenantShare - reserve);
    const overloaded = expectRefusal(theirs.refused, { status: 503, code: 'OVERLOADED', tool: 'calc_metrics' });
    expect(overloaded.error).toMatchObject({ retryable: true, retry_after_ms: expect.any(Number) });
    expect(Number(theirs.refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);

    // Neither can lock out who has little open.
    expect((await enqueue(third, 0)).status).toBe(202);
    expect((await enqueue(third, 1)).status).toBe(202);

    // The worker stands still: none of these waits for it.
    expect((await quiet.call('calc_metrics', { ...body, age: 31 })).status).toBe(503);
    expect((await crowd.call('calc_metrics', body)).envelope.metadata.cache?.hit).toBe(true);
    expect((await crowd.call('calc_metrics', { ...body, age: 0 })).status).toBe(400);
    expect((await crowd.get(`/jobs/${first.job_id}`)).as(jobShape).state).toBe('waiting');

    system.worker.signal('SIGCONT');
    expect((await crowd.get(`/jobs/${first.job_id}?wait=30`)).as(jobShape).result?.success).toBe(true);
    const metrics = new PrometheusText((await (await system.admin()).get('/metrics')).text);
    expect(metrics.sum('invoq_shed_calls_total')).toBeGreaterThan(0);
  }, 120_000);
});

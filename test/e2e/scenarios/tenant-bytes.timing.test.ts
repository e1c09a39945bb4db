// A tenant that tries to fill the store costs its neighbours no more than its rate of calls does.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';

/** Every call counts 3 KB, also the neighbour's. */
const limit = 6 * 1_048_576;
/** Idle and beside the attack by turns, so that other load of the machine falls on both. */
const rounds = 4;
const callsOfRound = 150;
const greedyAtOnce = 4;
/** Of the plan `free`: 50 calls a second. */
const greedyPauseMs = 80;
/** The p99 of a busy machine differs from round to round by about this much. */
const noiseMs = 50;

describe('a tenant that tries to fill the store', () => {
  let lab: LabSystem;
  let quiet: HttpCaller;

  beforeAll(async () => {
    lab = await startLabSystem({ gatewayEnv: { TENANT_BYTES: String(limit), TOOL_QUOTA_FREE: '1000000' } });
  }, startTimeoutMs);
  afterAll(async () => {
    await lab?.[Symbol.asyncDispose]();
  }, startTimeoutMs);

  async function timesOf(calls: number): Promise<readonly number[]> {
    const times: number[] = [];
    while (times.length < calls) {
      const start = performance.now();
      const { envelope } = await quiet.call('lab_large', { order: `${start}` });
      times.push(performance.now() - start);
      expect(envelope.success).toBe(true);
    }
    return times;
  }

  /** Parameters and answers of 50 KB, which stay in Redis, as fast as its plan allows. */
  async function attack(greedy: HttpCaller, until: AbortSignal, codes: Set<string>): Promise<void> {
    const text = 'x'.repeat(50_000);
    while (!until.aborted) {
      const { envelope } = await greedy.call('lab_large', { order: 'greedy', text, answer_characters: 16_000 });
      codes.add(envelope.error?.code ?? 'none');
      await sleep(greedyPauseMs);
    }
  }

  const p99 = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;

  test('leaves the p99 of a neighbour within twice its idle value', async () => {
    // New ones for each try: what a try has filled stays full.
    await using hostile = await Tenant.create(givenStores().databaseUrl);
    await using neighbour = await Tenant.create(givenStores().databaseUrl);
    const greedy = new HttpCaller(lab.system.gateway.url, await hostile.key({ tier: 'free' }));
    quiet = new HttpCaller(lab.system.gateway.url, await neighbour.key());
    await timesOf(callsOfRound);
    const idle: number[] = [];
    const beside: number[] = [];
    const codes = new Set<string>();
    for (let round = 0; round < rounds; round++) {
      idle.push(...(await timesOf(callsOfRound)));
      const attackIsOver = new AbortController();
      const attackers = Array.from({ length: greedyAtOnce }, async () => attack(greedy, attackIsOver.signal, codes));
      beside.push(...(await timesOf(callsOfRound)));
      attackIsOver.abort();
      await Promise.all(attackers);
    }
    expect(codes).toContain('QUOTA_EXCEEDED');
    expect(p99(beside)).toBeLessThan(2 * Math.max(p99(idle), noiseMs));
  }, 180_000);
});

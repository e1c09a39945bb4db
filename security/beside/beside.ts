// What another tenant notices of each attack, at the same gateway: its own calls, one after the other, and the gateway's processor.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import { CommandError, print } from '#lib/command-line';
import { usageOf } from '#lib/sandbox';
import type { Tenant } from '#lib/testing';
import type { World } from '../world/world.js';
import type { AttackOrder } from './attack-thread.js';
import { attacks, type Attacker } from './attacks.js';

/** Of each measurement. */
const measuredMs = 10_000;
/** Until what an attack has left behind has been worked on. */
const restMs = 3_000;
const outcome = z.record(z.string(), z.number());

interface Noticed {
  readonly p50: number;
  readonly p99: number;
  readonly longest: number;
  readonly calls: number;
  /** That were not answered 200. */
  readonly failed: number;
  /** Of one processor, taken by the gateway. */
  readonly processor: number;
}

/** Every attack, or those whose names hold one of these texts, as rows of a table. @throws CommandError where there is none */
export async function measureBeside(world: World, only: readonly string[]): Promise<void> {
  const names = Object.keys(attacks).filter((name) => only.length === 0 || only.some((part) => name.includes(part)));
  if (names.length === 0) throw new CommandError(`there is no attack ${only.join(', ')}`);
  const neighbour = await (await world.newTenant()).key();
  await noticed(world, neighbour);
  print('| attack | answered | p50 | p99 | longest | not served | processor |\n| --- | --- | --- | --- | --- | --- | --- |');
  print(`| none | | ${figures(await noticed(world, neighbour))} |`);
  for (const name of names) {
    const attacker = await attackerOf(world, await world.newTenant());
    const order: AttackOrder = { name, attacker };
    const thread = new Worker(new URL('attack-thread.js', import.meta.url), { workerData: order });
    const ended = once(thread, 'message');
    await sleep(500);
    const seen = await noticed(world, neighbour);
    thread.postMessage('stop');
    const answered = Object.entries(outcome.parse((await ended)[0])).map(([status, count]) => `${status}: ${count}`);
    print(`| ${name} | ${answered.join(', ')} | ${figures(seen)} |`);
    await sleep(restMs);
  }
}

async function attackerOf({ strictUrl: url }: World, tenant: Tenant): Promise<Attacker> {
  const serves = { userId: null, scopes: ['tools:serve'] };
  const [user, approving, wishing] = await Promise.all([
    tenant.key(),
    tenant.key({ ...serves, approvesTools: true }),
    tenant.key({ ...serves, approvesTools: false }),
  ]);
  return { url, user, approving, wishing };
}

/** Calls a tool that computes, one call after the other. */
async function noticed({ strictUrl, system }: World, key: string): Promise<Noticed> {
  const pid = system.gateways[1]?.pid;
  const usedMs = (): number => usageOf(pid)?.processorMs ?? 0;
  const [started, before] = [performance.now(), usedMs()];
  const times: number[] = [];
  let failed = 0;
  while (performance.now() - started < measuredMs) {
    const at = performance.now();
    const metrics = { height_cm: 175, weight_kg: 40 + Math.random() * 100, age: 30, gender: 'male', activity_level: 'moderate' };
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${strictUrl}/tools/calc_metrics`, { method: 'POST', headers, body: JSON.stringify(metrics) });
    await answer.arrayBuffer();
    times.push(performance.now() - at);
    if (answer.status !== 200) failed += 1;
  }
  const processor = (usedMs() - before) / (performance.now() - started);
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), longest: at(1), calls: times.length, failed, processor };
}

function figures({ p50, p99, longest, calls, failed, processor }: Noticed): string {
  const ms = (value: number): string => `${Math.round(value)} ms`;
  return `${ms(p50)} | ${ms(p99)} | ${ms(longest)} | ${failed} of ${calls} | ${Math.round(processor * 100)} %`;
}

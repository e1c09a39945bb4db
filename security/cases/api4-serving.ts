// What a tenant announces costs others nothing: a gateway's processor, its connections, its neighbours.
import { z } from 'zod';
import { must } from '#lib/testing';
import { casesIn } from '../case.js';
import { served } from '../expect.js';
import { childrenMs, usedSince } from '../world/processor.js';
import { makeKey } from '../world/credentials.js';
import { announce, contractOf, newName, rowsOf } from '../world/served-tools.js';
import type { World } from '../world/world.js';

const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const patienceMs = 10_000;

/** Nearly as large, and as dear, as a contract may be. */
function large(name: string, more: object = {}) {
  const fields = Array.from({ length: 480 }, (_, n) => [
    `p${n}`,
    { type: 'string', description: `A parameter of many, of which this is number ${n}.` },
  ]);
  return contractOf(name, { input: { type: 'object', properties: Object.fromEntries(fields), additionalProperties: false }, ...more });
}

/** A key of a new tenant, which has announced nothing yet. */
async function newServer(world: World, approves: boolean) {
  const tenant = `serving-${process.pid}-${newName()}`.replaceAll('_', '-');
  const wish = { tenant_id: tenant, user_id: undefined, scopes: ['tools:serve'], approves_tools: approves };
  return { tenant, key: (await makeKey(world, wish)).key };
}

/** Calls of a neighbour while something goes on: all are served. @returns the longest, in ms */
async function besides({ neighbour }: World, attack: Promise<unknown>): Promise<number> {
  let [isOver, longest] = [false, 0];
  void attack.finally(() => (isOver = true)).catch(() => undefined);
  while (!isOver) {
    const at = performance.now();
    served(await neighbour.send('POST /tools/calc_metrics', { json: metrics }));
    longest = Math.max(longest, performance.now() - at);
  }
  await attack;
  return longest;
}

export const servingCostCases = casesIn('API4', {
  'Large contracts are checked in a process of their own, cost neighbours no answer, and are limited': [
    'S52, audit F1b',
    async (world) => {
      const { system } = world;
      const { key } = await newServer(world, false);
      const wrong = { examples: [{ input: { p0: 5 }, output: { said: 'a' } }] };
      const send = async (count: number) =>
        announce({ url: system.gateway.url, key, tools: Array.from({ length: count }, () => large(newName(), wrong)) });
      // The process that checks is started by the first.
      await send(1);
      const statuses: number[] = [];
      const checkedBefore = childrenMs(system.gateway.pid);
      // More would be refused for their cost where a busy machine takes several times as long for a check.
      for (let n = 0; n < 3; n++) statuses.push(await send(10));
      must(
        statuses.every((status) => status === 400),
        `not refused for their contracts: ${statuses.join(' ')}`,
      );
      const spentMs = usedSince(checkedBefore, system.gateway.pid);
      must(spentMs > 50, `contracts of strangers are checked in no process of their own: ${spentMs} ms`);
      const longest = await besides(world, Promise.all(Array.from({ length: 20 }, async () => statuses.push(await send(10)))));
      must(longest < patienceMs, `a neighbour waited ${Math.round(longest)} ms`);
      must(statuses.includes(429), 'announcements have no limit');
    },
  ],
  'The approved contracts of a tenant are bounded in bytes, also when they come all at once': [
    'S52, audit F1',
    async (world) => {
      const { system } = world;
      const { key, tenant } = await newServer(world, true);
      const { url } = system.gateway;
      await besides(
        world,
        Promise.all(
          Array.from({ length: 6 }, async () => announce({ url, key, tools: Array.from({ length: 6 }, () => large(newName())) })),
        ),
      );
      const approved = (await rowsOf(world, tenant)).filter(({ state }) => state !== 'pending');
      const bytes = approved.reduce((sum, row) => sum + JSON.stringify(row).length, 0);
      must(approved.length > 0, 'nothing was approved');
      must(bytes < 1_500_000, `a tenant has ${bytes} bytes of contracts`);
    },
  ],
  'A tenant opens few domains, and each connection that it costs is counted': [
    'S52, audit F6',
    async (world) => {
      const { system } = world;
      const { key, tenant } = await newServer(world, true);
      const clients = async () => z.coerce.number().parse(/connected_clients:(\d+)/.exec(await system.redis.redis.info('clients'))?.[1]);
      const before = await clients();
      for (let n = 0; n < 30; n++) await announce({ url: system.gateway.url, key, domain: `d${n}`, tools: [contractOf(newName())] });
      const domains = new Set((await rowsOf(world, tenant)).filter(({ state }) => state !== 'pending').map((row) => row['domain']));
      must(domains.size <= 10, `a tenant has tools in ${domains.size} domains`);
      const more = (await clients()) - before;
      must(more <= 12, `thirty domains cost ${more} connections to Redis`);
    },
  ],
});

// What has to answer at every gateway, of either version and between them.
import { z } from 'zod';
import type { HttpCaller } from '#lib/testing';
import type { Scene } from '../faults/fault.js';

/** Reading routes of the console and of operators, which the older version has too. */
const routes = [
  '/readyz',
  '/console/',
  '/tools',
  '/jobs',
  '/usage',
  '/keys',
  '/served-tools',
  '/admin/workers',
  '/admin/activity',
  '/metrics',
];

const listed = z.object({ tools: z.array(z.looseObject({ name: z.string(), version: z.string() })) });

/** @returns what did not answer 200, at which gateway */
export async function faultsOfDoors({ lab }: Scene): Promise<readonly string[]> {
  const findings: string[] = [];
  for (const caller of await callers(lab))
    for (const route of routes) {
      const { status, text } = await caller.get(route);
      if (status !== 200) findings.push(`${route}: ${status} ${text.slice(0, 200)}`);
    }
  return findings;
}

/** Names and versions of the tools that any gateway lists. */
export async function toolsAt({ lab }: Scene): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const caller of await callers(lab))
    for (const { name, version } of (await caller.get('/tools')).as(listed).tools) found.add(`${name}@${version}`);
  return found;
}

async function callers({ system }: Scene['lab']): Promise<readonly HttpCaller[]> {
  const admin = await system.admin();
  return system.gateways.map(({ url }) => admin.at(url));
}

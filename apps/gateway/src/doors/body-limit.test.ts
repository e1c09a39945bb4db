import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { Catalog, tools } from '#lib/contracts';
import { ToolDirectory } from '../calls/tool-directory.js';
import { bodyLimitOf } from './body-limit.js';
import { defaultBodyBytes } from '../http/json-body.js';
import { installRequestFacts } from '../http/request-facts.js';
import type { RouteFacts } from '../http/route.js';

const directory = new ToolDirectory(new Catalog(tools), () => new Date());
const [large] = tools.filter(({ maxInputBytes = 0 }) => maxInputBytes > defaultBodyBytes);
if (!large) throw new Error('no tool allows a large body');
const largeBytes = large.maxInputBytes ?? 0;
const alias = large.aliases?.[0];

async function limitOf(pattern: string, path: string, facts?: RouteFacts): Promise<number> {
  const app = fastify();
  installRequestFacts(app, () => undefined);
  app.get(pattern, { ...(facts && { config: { route: facts } }) }, (request) => ({ limit: bodyLimitOf(request, directory) }));
  const answer: { limit: number } = (await app.inject(path)).json();
  return answer.limit;
}

const byName: RouteFacts = { toolParameter: 'name', docs: null };

test('A route has the default limit, or its own', async () => {
  expect(await limitOf('/a', '/a')).toBe(defaultBodyBytes);
  expect(await limitOf('/a', '/a', { docs: null })).toBe(defaultBodyBytes);
  expect(await limitOf('/a', '/a', { maxBodyBytes: 7, docs: null })).toBe(7);
});

test.each(['open', 'link', 'guest'] as const)('A route that needs no credential takes little, unless it says so: %s', async (access) => {
  expect(await limitOf('/a', '/a', { access, docs: null })).toBe(16_384);
  expect(await limitOf('/a', '/a', { access, maxBodyBytes: 100_000, docs: null })).toBe(100_000);
});

test('A route of a tool has the limit of that tool, in any version and under any name', async () => {
  expect(await limitOf('/tools/:name', `/tools/${large.name}`, byName)).toBe(largeBytes);
  expect(await limitOf('/tools/:name', `/tools/${large.name}@1`, byName)).toBe(largeBytes);
  expect(await limitOf('/memotree/:tool', `/memotree/${large.name}`, { toolParameter: 'tool', docs: null })).toBe(largeBytes);
  if (alias !== undefined) expect(await limitOf('/tools/:name', `/tools/${alias}`, byName)).toBe(largeBytes);
});

test('No other part of the path can raise the limit', async () => {
  expect(await limitOf('/tools/:name/:other', `/tools/x/${large.name}`, byName)).toBe(defaultBodyBytes);
  expect(await limitOf('/tools/:name', `/tools/x?name=${large.name}`, byName)).toBe(defaultBodyBytes);
  expect(await limitOf('/jobs/:name', `/jobs/${large.name}`, { docs: null })).toBe(defaultBodyBytes);
  expect(await limitOf('/tools/:name', '/tools/calc_metrics', byName)).toBe(defaultBodyBytes);
});

test('A tool cannot lower the limit of its route', async () => {
  expect(await limitOf('/tools/:name', '/tools/calc_metrics', { ...byName, maxBodyBytes: 1_000_000 })).toBe(1_000_000);
});

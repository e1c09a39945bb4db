import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { fastify, type HTTPMethods } from 'fastify';
import { createLogger } from '#lib/platform';
import { installCrossSiteGuard } from './cross-site-guard.js';
import { installRequestFacts } from './request-facts.js';

const app = fastify();

beforeAll(async () => {
  installRequestFacts(app, () => undefined);
  installCrossSiteGuard(app, { origins: ['https://app.example', 'https://public.example/'], log: createLogger('guard-test', 'silent') });
  app.all('/x', async () => 'served');
  app.all('/own-list', { config: { route: { checksOrigin: true, docs: null } } }, async () => 'served');
});
afterAll(async () => app.close());

async function statusOf(headers: Readonly<Record<string, string>>, method: HTTPMethods = 'POST', url = '/x'): Promise<number> {
  return (await app.inject({ method, url, headers: { host: 'api.example', ...headers } })).statusCode;
}

describe('A request that may change something', () => {
  test.each([
    ['a program', {}],
    ['an address bar', { 'sec-fetch-site': 'none' }],
    ['a page of ours', { origin: 'https://api.example', 'sec-fetch-site': 'same-origin' }],
    ['a page of ours, in an old browser', { origin: 'https://api.example' }],
    ['a page of an allowed origin', { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }],
    ['a page at the public address, behind a proxy', { origin: 'https://public.example' }],
  ])('is served for %s', async (_from, headers) => {
    expect(await statusOf(headers)).toBe(200);
  });

  test.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another site that says no origin', { 'sec-fetch-site': 'cross-site' }],
    ['another host of the same site', { origin: 'https://blog.api.example', 'sec-fetch-site': 'same-site' }],
    ['another site, in an old browser', { origin: 'https://evil.example' }],
    ['a longer name', { origin: 'https://app.example.evil.example' }],
    ['another scheme of an allowed origin', { origin: 'http://app.example' }],
    ['another port of ours', { origin: 'https://api.example:8443' }],
    ['a sandboxed frame', { origin: 'null' }],
    ['what is no origin', { origin: 'api.example' }],
    ['an unknown place', { 'sec-fetch-site': 'elsewhere' }],
  ])('is refused from %s', async (_from, headers) => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'] as const) expect(await statusOf(headers, method)).toBe(403);
    for (const method of ['GET', 'HEAD'] as const) expect(await statusOf(headers, method)).toBe(200);
  });

  test('is judged by the origins of its route where the route has a list', async () => {
    expect(await statusOf({ origin: 'http://localhost:5173', 'sec-fetch-site': 'same-site' }, 'POST', '/own-list')).toBe(200);
    expect(await statusOf({ 'sec-fetch-site': 'cross-site' }, 'POST', '/own-list')).toBe(403);
  });
});

import { readdirSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { appNames, appSpec } from './apps.js';

test('the apps that are started are the gateway and then every worker, and nothing that users run', () => {
  const workers = readdirSync('apps').filter((name) => name.endsWith('-worker'));
  expect(workers.length).toBeGreaterThan(4);
  expect(appNames()).toEqual(['gateway', ...workers.toSorted()]);
});

test('an app is ready when its readiness probe says so', async () => {
  await using server = await startScriptedServer(jsonAnswer(503, {}), jsonAnswer(200, {}));
  const { hostname, port } = new URL(server.url);
  const spec = appSpec('profile-worker', { port: Number(port), host: hostname, logFile: '/tmp/x.log', env: { A: 'b' } });
  expect(spec).toMatchObject({ name: 'profile-worker', isNode: true, env: { A: 'b' }, port: Number(port) });
  expect(spec.args.at(-1)).toBe('dist/apps/profile-worker/src/main.js');
  expect([await spec.isReady(), await spec.isReady()]).toEqual([false, true]);
  expect(server.requests.map(({ url }) => url)).toEqual(['/readyz', '/readyz']);
});

test('an app that does not listen yet is not ready', async () => {
  const spec = appSpec('gateway', { port: 1, host: '127.0.0.1', logFile: '/tmp/x.log', env: {} });
  expect(await spec.isReady()).toBe(false);
});

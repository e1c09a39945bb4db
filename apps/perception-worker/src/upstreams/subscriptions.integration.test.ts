// Changes of resources of a real server, in a revision with sessions.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { outsideServer } from '#lib/contracts';
import { eventually } from '#lib/testing';
import { callUntil, database, newName, openServices, register, withStores } from './test-upstreams.js';

withStores();

const everything = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json')),
  'dist/index.js',
);
const uri = 'demo://resource/dynamic/text/1';

test('are heard while they are listened for, also after the command was started again', async () => {
  const name = newName();
  await using services = openServices({ commands: { [name]: { command: process.execPath, args: [everything, 'stdio'] } } });
  await register(services, { name, stdio: name, tenants: '*' }, ['admin']);
  const server = outsideServer.parse(await database.mcpServer.findUniqueOrThrow({ where: { id: name } }));
  const heard: string[] = [];
  const watch = async (...uris: string[]) =>
    services.upstreams.watch(server, { uris: new Set(uris), account: null }, (one) => void heard.push(one));
  expect(await watch()).toEqual([]);
  for (let life = 1; life <= 2; life++) {
    expect(await watch(uri)).toEqual([uri]);
    expect(await watch(uri)).toEqual([]);
    expect(await callUntil(services, { server: name, name: 'toggle-subscriber-updates' })).toMatchObject({ kind: 'done' });
    const before = heard.length;
    await eventually(() => heard.length > before, { withinMs: 15_000 });
    expect(new Set(heard)).toEqual(new Set([uri]));
    // A connection that is lost is a new one for the next round, with nothing subscribed.
    if (life === 1) await services.upstreams.close();
  }
  await watch();
  const after = heard.length;
  await new Promise((resolve) => setTimeout(resolve, 6_000));
  expect(heard).toHaveLength(after);
}, 60_000);

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { givenStores } from '#lib/testing';
import { TestCanvas } from './test-canvas.js';

let canvas: TestCanvas;
beforeAll(() => void (canvas = new TestCanvas(givenStores().databaseUrl)));
afterAll(async () => canvas[Symbol.asyncDispose]());

test('changes wait for the turn of their tenant; those of others and reads do not', async () => {
  const create = (title: string, by = {}) => canvas.call('create_node', { title }, { key: 's', ...by });
  await create('first');
  const never = new AbortController().signal;
  const take = () => canvas.services.turns.acquire(canvas.tenantId, never);
  const taken = [await take(), await take()];
  let ended = 0;
  const waiting = Array.from({ length: 4 }, async (_, n) => create(`waiting ${n}`).finally(() => (ended += 1)));
  const neighbour = { tenantId: `${canvas.tenantId}-neighbour` };
  await create('sleep', neighbour);
  const search = async (by = {}) => (await canvas.call('search_nodes', { query: 'sleep' }, { key: 's', ...by })).data['results'];
  expect(await search(neighbour)).toHaveLength(1);
  expect(await search()).toEqual([]);
  expect(ended).toBe(0);
  for (const turn of taken) turn[Symbol.dispose]();
  await Promise.all(waiting);
});

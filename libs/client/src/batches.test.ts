import { expect, test } from '@jest/globals';
import { jsonAnswer, startScriptedServer } from '#lib/testing';
import { Invoq } from './invoq.js';

const shown = (facts: object = {}) => ({ batch_id: 'b', state: 'running', total: 3, completed: 0, finished_at: null, ...facts });
const away = jsonAnswer(503, {
  success: false,
  status: 'error',
  error: { code: 'NETWORK_ERROR', message: 'x', retryable: true, retry_after_ms: 1 },
  metadata: {},
});

test('Batches are asked for by their routes, and one with a key is sent again', async () => {
  const page = { batches: [shown()], pagination: { has_more: false, next_cursor: null } };
  await using server = await startScriptedServer(
    away,
    jsonAnswer(202, shown()),
    jsonAnswer(202, shown()),
    jsonAnswer(202, shown()),
    jsonAnswer(200, { count: 7 }),
    jsonAnswer(200, page),
    jsonAnswer(202, shown({ state: 'cancelled' })),
  );
  const { batches } = new Invoq({ url: server.url, key: 'k' });
  const calls = [
    { id: 1, name: 'a' },
    { name: 'b', arguments: { x: '\n' } },
  ];
  expect((await batches.create(calls, { idempotencyKey: 'key', ratePerS: 5 })).batch_id).toBe('b');
  await batches.create(new Blob(['{"name":"a"}\n']));
  await batches.replay({ code: 'TIMEOUT' }, { ratePerS: 2 });
  expect(await batches.countReplays({ job_ids: ['inv_1'] })).toBe(7);
  expect((await batches.list({ state: 'running', limit: 5 })).batches).toEqual([shown()]);
  expect((await batches.cancel('a/b')).state).toBe('cancelled');
  expect(server.requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    'POST /batches?rate_per_s=5 {"id":1,"name":"a"}\n{"name":"b","arguments":{"x":"\\n"}}',
    'POST /batches?rate_per_s=5 {"id":1,"name":"a"}\n{"name":"b","arguments":{"x":"\\n"}}',
    'POST /batches {"name":"a"}\n',
    'POST /batches {"replay":{"code":"TIMEOUT"},"rate_per_s":2}',
    'POST /batches?dry_run=true {"replay":{"job_ids":["inv_1"]}}',
    'GET /batches?state=running&limit=5 ',
    'DELETE /batches/a%2Fb ',
  ]);
  expect(server.requests.map(({ headers }) => headers['content-type']?.split(';')[0])).toEqual([
    'application/x-ndjson',
    'application/x-ndjson',
    'application/x-ndjson',
    'application/json',
    'application/json',
    undefined,
    undefined,
  ]);
  expect(server.requests[1]?.headers['idempotency-key']).toBe('key');
});

test('Results are read to the last, over lost answers', async () => {
  const line = (index: number): string => `${JSON.stringify({ id: null, index, success: true })}\n`;
  await using server = await startScriptedServer(
    jsonAnswer(200, shown()),
    (response) => void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(line(0)),
    away,
    (response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(line(1) + line(2).slice(0, 5));
      setTimeout(() => response.destroy(), 20);
    },
    (response) => void response.writeHead(200).end(),
    (response) => void response.writeHead(200).end(line(2)),
  );
  const read: number[] = [];
  for await (const { index } of new Invoq({ url: server.url }).batches.results('b')) read.push(index);
  expect(read).toEqual([0, 1, 2]);
  expect(server.requests.map(({ url }) => url)).toEqual([
    '/batches/b',
    '/batches/b/results?after=-1&wait=30',
    '/batches/b/results?after=0&wait=30',
    '/batches/b/results?after=0&wait=30',
    '/batches/b/results?after=1&wait=30',
    '/batches/b/results?after=1&wait=30',
  ]);
});

test('A batch that is not there is told, and not asked for again', async () => {
  const none = { success: false, status: 'error', error: { code: 'RESOURCE_NOT_FOUND', message: 'none', retryable: false }, metadata: {} };
  await using server = await startScriptedServer(jsonAnswer(404, none));
  await expect(new Invoq({ url: server.url }).batches.results('b').next()).rejects.toThrow('none');
  expect(server.requests).toHaveLength(1);
});

test('How it stands is followed to the end, over a cut connection', async () => {
  const frame = (facts: object): string => `event: batch\ndata: ${JSON.stringify(shown(facts))}\n\n`;
  const stream = { 'content-type': 'text/event-stream' };
  await using server = await startScriptedServer(
    (response) => void response.writeHead(200, stream).end(frame({ completed: 1 })),
    (response) => void response.writeHead(200, stream).end(frame({ completed: 3, state: 'completed', finished_at: 'now' })),
  );
  const seen: number[] = [];
  for await (const { completed } of new Invoq({ url: server.url }).batches.follow('b')) seen.push(completed);
  expect(seen).toEqual([1, 3]);
});

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { jsonAnswer, startScriptedServer, type ScriptedAnswer, type ScriptedServer } from '#lib/testing';
import { runCommandLine } from '../test-command-line.js';

const shown = { batch_id: 'b-1', state: 'running', total: 3 };
const line = (index: number, success = true): string => `${JSON.stringify({ id: index, index, success })}\n`;
const lines =
  (...texts: readonly string[]): ScriptedAnswer =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(texts.join(''));
const refused = jsonAnswer(404, {
  success: false,
  status: 'error',
  error: { code: 'RESOURCE_NOT_FOUND', message: 'none', retryable: false },
  metadata: { tool_name: '', timestamp: '', trace_id: '' },
});

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'invoq-batch-'));
  file = join(folder, 'calls.ndjson');
  writeFileSync(file, '{"name":"a"}\n{"name":"b"}\n{"name":"c"}\n');
});

afterEach(() => rmSync(folder, { recursive: true }));

const run = (server: ScriptedServer, ...args: readonly string[]) => runCommandLine(args, { INVOQ_URL: server.url, INVOQ_API_KEY: 'k' });

test('A file is sent as it is, and its results are written', async () => {
  await using server = await startScriptedServer(jsonAnswer(202, shown), jsonAnswer(200, shown), lines(line(0), line(1, false), line(2)));
  const { code, stdout } = await run(server, 'batch', file, '--rate', '5');
  expect([code, stdout]).toEqual([1, `2 of 3 calls succeeded; results in ${file}.results\n`]);
  expect(readFileSync(`${file}.results`, 'utf8')).toBe(line(0) + line(1, false) + line(2));
  expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/batches?rate_per_s=5', body: readFileSync(file, 'utf8') });
  expect(existsSync(`${file}.batch`)).toBe(false);
});

test('The same command goes on with the batch and its results, and another file begins anew', async () => {
  await using server = await startScriptedServer(
    jsonAnswer(202, shown),
    jsonAnswer(200, shown),
    lines(line(0)),
    refused,
    jsonAnswer(200, shown),
    jsonAnswer(200, shown),
    lines(line(1), line(2)),
  );
  const first = await run(server, 'batch', file);
  expect(first.code).not.toBe(0);
  const { key } = z.object({ key: z.string() }).parse(JSON.parse(readFileSync(`${file}.batch`, 'utf8')));
  expect(server.requests[0]?.headers['idempotency-key']).toBe(key);
  // The process was killed within a line.
  writeFileSync(`${file}.results`, line(0) + line(1).slice(0, 9));
  const { code, stderr } = await run(server, 'batch', file);
  expect([code, stderr]).toEqual([0, `1 results are in ${file}.results already\n`]);
  expect(readFileSync(`${file}.results`, 'utf8')).toBe(line(0) + line(1) + line(2));
  expect(server.requests.slice(4).map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /batches/b-1',
    'GET /batches/b-1',
    'GET /batches/b-1/results?after=0&wait=30',
  ]);
});

test('A batch whose answer was lost is asked for again under its key', async () => {
  await using server = await startScriptedServer(refused, jsonAnswer(202, shown), jsonAnswer(200, { ...shown, total: 1 }), lines(line(0)));
  expect((await run(server, 'batch', file)).code).not.toBe(0);
  await run(server, 'batch', file);
  const keys = server.requests.slice(0, 2).map(({ headers }) => headers['idempotency-key']);
  expect([String(keys[0]).startsWith('invoq-batch-'), keys[0] === keys[1]]).toEqual([true, true]);
  writeFileSync(file, '{"name":"other"}\n');
  server.answer(refused);
  await run(server, 'batch', file);
  expect(server.requests.at(-1)?.headers['idempotency-key']).not.toBe(keys[0]);
});

test('A file that is not there is told before anything is sent', async () => {
  await using server = await startScriptedServer();
  const { code, stderr } = await run(server, 'batch', join(folder, 'none'));
  expect([code, server.requests.length]).toEqual([2, 0]);
  expect(stderr).toContain('There is no file');
});

test('Batches are listed and cancelled, and failed calls are counted and tried again', async () => {
  const row = { ...shown, completed: 2, failed: 1, cancelled: 0, created_at: '2030-01-01T00:00:00.000Z' };
  await using server = await startScriptedServer(
    jsonAnswer(200, { batches: [row], pagination: { has_more: false, next_cursor: null } }),
    jsonAnswer(202, shown),
    jsonAnswer(200, { count: 7 }),
    jsonAnswer(202, shown),
  );
  expect((await run(server, 'batches', 'list')).stdout).toMatch(/b-1 +running +3 +2 +1 +0 +2030/);
  expect((await run(server, 'batches', 'cancel', 'b-1')).stdout).toBe('Cancels b-1\n');
  expect((await run(server, 'batches', 'replay', '--code', 'TIMEOUT', '--dry-run')).stdout).toBe('7 failed calls\n');
  expect((await run(server, 'batches', 'replay', '--tool', 'x', '--rate', '3')).stdout).toBe('b-1\n');
  expect(server.requests.slice(2).map(({ url, body }) => `${url} ${body}`)).toEqual([
    '/batches?dry_run=true {"replay":{"code":"TIMEOUT"}}',
    '/batches {"replay":{"tool":"x"},"rate_per_s":3}',
  ]);
});

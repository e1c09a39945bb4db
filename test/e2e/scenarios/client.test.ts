import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { z } from 'zod';
import { Invoq, InvoqError, type AuditPage, type CallSums, type HistoryPage } from '#lib/client';
import { auditPage, callSums, historyPage, type ProductTools } from '#lib/contracts';
import { eventually, startTimeoutMs } from '#lib/testing';
import { startLabSystem, type LabSystem } from '../lab-system.js';
import { inProcess } from '../in-process.js';

const run = promisify(execFile);
const body = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' } as const;

async function caught(work: Promise<unknown>): Promise<InvoqError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InvoqError)) throw new Error(`expected an InvoqError, got ${String(error)}`);
  return error;
}

/** A server that answers as it is told, one request after the other, and forwards the rest. */
async function between(
  upstream: string,
  ...answers: readonly ((request: IncomingMessage, response: ServerResponse) => void | Promise<void>)[]
) {
  const asked: { method: string; url: string; headers: IncomingMessage['headers'] }[] = [];
  const left = [...answers];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    asked.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers });
    const answer = left.shift();
    if (answer) return await answer(request, response);
    const { host: _host, 'content-length': _length, connection: _connection, ...headers } = request.headers;
    const sent = await buffer(request);
    const got = await fetch(upstream + (request.url ?? ''), {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ...(sent.length > 0 && { body: sent }),
    });
    response.writeHead(got.status, { 'content-type': got.headers.get('content-type') ?? 'application/json' });
    for await (const chunk of got.body ?? []) response.write(chunk);
    response.end();
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    asked,
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const refusal =
  (code: string, status: number, rest: object = {}) =>
  (_request: IncomingMessage, response: ServerResponse) => {
    const error = { code, message: 'told to', retryable: true, hint: '', ...rest };
    const metadata = { tool_name: 'calc_metrics', timestamp: new Date().toISOString(), trace_id: 'trace_x' };
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(JSON.stringify({ success: false, status: 'error', error, metadata }));
  };

describe('the client', () => {
  let lab: LabSystem;
  let key: string;
  let invoq: Invoq<ProductTools>;

  beforeAll(async () => {
    lab = await startLabSystem({ inProcess });
    key = await lab.system.tenant.key();
    invoq = new Invoq<ProductTools>({ url: lab.system.gateway.url, key });
  }, startTimeoutMs);
  afterAll(async () => lab?.[Symbol.asyncDispose]());

  const started = async (name: string, input: Readonly<Record<string, unknown>>) => {
    const { job_id, trace_id } = await invoq.start(name, input);
    if (job_id === null) throw new Error('answered from the cache');
    return { job_id, trace_id };
  };

  test('calls a tool with the types of its contract', async () => {
    const { data, metadata } = await invoq.call('calc_metrics', body);
    const bmi: number = data.bmi;
    expect([bmi, data.bmi_category, metadata.tool_name]).toEqual([22.86, 'normal', 'calc_metrics']);
    // @ts-expect-error a parameter that the contract does not have
    const wrong = await caught(invoq.call('calc_metrics', { ...body, shoe_size: 43 }));
    expect(wrong).toMatchObject({
      code: 'INVALID_PARAMS',
      status: 400,
      retryable: false,
      mayHaveRun: false,
      details: [{ path: 'shoe_size' }],
    });
    expect(await caught(invoq.call('user_profile_lookup', { user_id: 'user_999' }))).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect((await caught(invoq.call('no_such_tool', {}))).traceId).toMatch(/^trace_/);
    const expand = async (): Promise<string> => (await invoq.call('expand_node', { nodeId: 'root', level: 'Detail' })).data.content;
    // @ts-expect-error operations of MemoTree have the types of their contracts too
    const wrongly = (): Promise<unknown> => invoq.call('expand_node', { node: 'root' });
    // This system has no worker for them.
    expect([expand, wrongly]).toHaveLength(2);
  });

  test('is told the progress, and takes a cut stream up again without a second run', async () => {
    const cut = async (_request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const got = await fetch(`${lab.system.gateway.url}/tools/lab_steps/sse`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'text/event-stream' },
        body: await buffer(_request),
      });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for await (const chunk of got.body ?? []) {
        response.write(chunk);
        // After the first events the wire breaks.
        if (Buffer.from(chunk).includes('tool_progress')) break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
      response.destroy();
    };
    await using proxy = await between(lab.system.gateway.url, cut);
    const order = `client-${Date.now()}`;
    const steps: number[] = [];
    const through = new Invoq<ProductTools>({ url: proxy.url, key });
    const { data } = await through.call(
      'lab_steps',
      { order, steps: 5, step_ms: 60 },
      { onProgress: ({ progress }) => steps.push(progress) },
    );
    expect(data).toBeDefined();
    expect(steps).toEqual([...new Set(steps)].toSorted((a, b) => a - b));
    expect(steps[0]).toBe(0);
    expect(proxy.asked.map(({ headers }) => typeof headers['last-event-id'])).toEqual(['undefined', 'string']);
  });

  test('tries again what was refused before it ran, and nothing else', async () => {
    await using limited = await between(
      lab.system.gateway.url,
      refusal('RATE_LIMITED', 429, { retry_after_ms: 20 }),
      refusal('OVERLOADED', 503),
    );
    expect((await new Invoq<ProductTools>({ url: limited.url, key }).call('calc_metrics', body)).data.bmi).toBe(22.86);
    expect(limited.asked).toHaveLength(3);

    await using refused = await between(lab.system.gateway.url, refusal('PERMISSION_DENIED', 403, { retryable: false }));
    expect(await caught(new Invoq<ProductTools>({ url: refused.url, key }).call('calc_metrics', body))).toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    expect(refused.asked).toHaveLength(1);

    const drop = (request: IncomingMessage) => void request.socket.destroy();
    await using lossy = await between(lab.system.gateway.url, drop, drop);
    expect(await caught(new Invoq<ProductTools>({ url: lossy.url, key }).call('calc_metrics', body))).toMatchObject({
      code: 'NETWORK_ERROR',
      status: 0,
    });
    expect(lossy.asked).toHaveLength(1);
    const again = await new Invoq<ProductTools>({ url: lossy.url, key }).call('calc_metrics', body, { idempotencyKey: `k-${Date.now()}` });
    expect(again.data.bmi).toBe(22.86);
    expect(lossy.asked).toHaveLength(3);
  });

  test('starts, waits, lists and cancels jobs', async () => {
    const cached = await invoq.start('calc_metrics', body);
    expect([cached.job_id, cached.result?.data.bmi]).toEqual([null, 22.86]);
    const { job_id, trace_id } = await started('calc_metrics', { ...body, age: 31 });
    expect((await invoq.wait(job_id)).data).toMatchObject({ bmi: 22.86 });
    expect((await invoq.jobs({ limit: 50 })).jobs.map((job) => job.job_id)).toContain(job_id);
    // Spans arrive in batches.
    await eventually(
      async () => (await invoq.trace(trace_id).catch(() => null))?.spans.some(({ name }) => name === 'attempt calc_metrics'),
      {
        what: 'the trace',
      },
    );

    const slow = await started('lab_steps', { order: `slow-${Date.now()}`, steps: 100, step_ms: 100 });
    await invoq.cancel(slow.job_id);
    expect(await caught(invoq.wait(slow.job_id))).toMatchObject({ code: 'CANCELLED' });
  });

  test('makes many calls at once', async () => {
    const results = await invoq.batch([
      { id: 1, name: 'calc_metrics', arguments: body },
      { id: 'two', name: 'calc_metrics', arguments: {} },
    ]);
    expect(results.map(({ id, success }) => [id, success])).toEqual([
      [1, true],
      ['two', false],
    ]);
  });

  test('is small and runs on what a browser has', async () => {
    const bundle = await build({
      entryPoints: ['dist/libs/client/src/index.js'],
      bundle: true,
      minify: true,
      write: false,
      platform: 'browser',
      format: 'iife',
      globalName: 'client',
      logLevel: 'silent',
    });
    const text = bundle.outputFiles[0]?.text ?? '';
    // 8 kB over the wire: calls, jobs, streams, and what stands around a call.
    expect(text.length).toBeLessThan(28_000);
    const page = createContext({ fetch, URL, URLSearchParams, TextDecoder, AbortController, setTimeout, clearTimeout });
    runInContext(text, page);
    const call: unknown = runInContext('(options, name, input) => new client.Invoq(options).call(name, input, { onProgress() {} })', page);
    const result = await z.custom<(...args: unknown[]) => Promise<unknown>>((value) => typeof value === 'function').parse(call)(
      { url: lab.system.gateway.url, key },
      'calc_metrics',
      body,
    );
    expect(result).toMatchObject({ data: { bmi: 22.86 } });
  });

  describe('on the command line', () => {
    const command = async (...args: string[]) =>
      run(process.execPath, ['dist/apps/cli/src/main.js', ...args], {
        env: { PATH: process.env['PATH'], INVOQ_DATA_DIR: '/nowhere/at/all', INVOQ_URL: lab.system.gateway.url, INVOQ_API_KEY: key },
      }).then(
        ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
        (error: unknown) => z.object({ code: z.number(), stdout: z.string(), stderr: z.string() }).parse(error),
      );

    test('lists tools and tells what one takes', async () => {
      expect((await command('tools')).stdout).toMatch(/^calc_metrics +2\.0\.0 +Compute BMI/m);
      expect((await command('call', 'calc_metrics', '--help')).stdout).toMatch(/--height_cm <number> {2}\(required\)/);
    });

    test('calls with flags; data alone goes to standard output', async () => {
      const flags = Object.entries(body).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const called = await command('call', 'calc_metrics', ...flags);
      expect([called.code, JSON.parse(called.stdout)]).toEqual([0, expect.objectContaining({ bmi: 22.86 })]);
      const refused = await command('call', 'calc_metrics', '--height_cm', '3');
      expect([refused.code, refused.stdout]).toEqual([1, '']);
      expect(refused.stderr).toMatch(/INVALID_PARAMS.*height_cm.*\ntrace: trace_/s);
      expect(await command('call', 'calc_metrics', '--shoe_size', '43')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('shoe_size'),
      });
    });

    test('shows how an answer came about to those who ask, beside the data', async () => {
      const flags = Object.entries({ ...body, age: 35 }).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const called = await command('call', 'calc_metrics', '--debug', '--no-cache', ...flags);
      expect(JSON.parse(called.stdout)).toMatchObject({ bmi: 22.86 });
      expect(called.stderr).toMatch(/^debug: \{[^]*"retry_count": 0/);
      expect(JSON.parse((await command('call', 'calc_metrics', '--debug', '--json', ...flags)).stdout)).toMatchObject({
        debug_info: { cache_hit: expect.any(Boolean) },
      });
      expect((await command('call', 'lab_retired', '--help')).stdout).toMatch(/Deprecated: calls are refused/);
    });

    test('shows jobs and what a call did', async () => {
      const flags = Object.entries({ ...body, age: 32 }).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const id = (await command('call', 'calc_metrics', '--async', ...flags)).stdout.trim();
      expect(JSON.parse((await command('jobs', 'follow', id)).stdout)).toMatchObject({ bmi: 22.86 });
      const job = z
        .object({ trace_id: z.string(), state: z.literal('completed') })
        .parse(JSON.parse((await command('jobs', 'show', id)).stdout));
      expect((await command('jobs', 'list', '--limit', '5')).stdout).toContain(id);
      await eventually(async () => /█.*attempt calc_metrics/.test((await command('trace', job.trace_id)).stdout), { what: 'the trace' });
      expect((await command('trace', 'trace_20200101_000000000000')).code).toBe(1);
      expect((await command('fly')).code).toBe(2);
    });

    test('tells what was called, how often and, to an administrator, who made keys', async () => {
      const flags = Object.entries({ ...body, age: 33 }).flatMap(([name, value]) => [`--${name}`, String(value)]);
      const id = (await command('call', 'calc_metrics', '--async', ...flags)).stdout.trim();
      const line = await eventually(
        async () => (await command('history', '--tool', 'calc_metrics')).stdout.split('\n').find((row) => row.includes(id)),
        { what: 'the call in the history' },
      );
      expect(line).toMatch(/^\S+Z {2}completed +calc_metrics /);
      expect((await command('usage', '--by', 'tool')).stdout).toMatch(/^tool +calls .*\n(.*\n)*calc_metrics +\d+ /);
      expect(await command('usage', '--from', 'yesterday')).toMatchObject({ code: 1, stderr: expect.stringContaining("'from'") });
      expect(await command('audit')).toMatchObject({ code: 1, stderr: expect.stringContaining('PERMISSION_DENIED') });
      key = await lab.system.tenant.key({ userId: null, scopes: ['*'] });
      // What the contract says is what the client's types say.
      const admin = new Invoq({ url: lab.system.gateway.url, key });
      const [calls, sums, changes]: readonly [HistoryPage, CallSums, AuditPage] = [
        historyPage.parse(await admin.history({ scope: 'tenant' })),
        callSums.parse(await admin.callSums({ scope: 'tenant', by: 'tenant' })),
        auditPage.parse(await admin.audit()),
      ];
      expect([calls.calls.length > 0, sums.sums.length, changes.events.length > 0]).toEqual([true, 1, true]);
      expect((await command('audit', '--action', 'api_key.insert')).stdout).toContain(lab.system.tenant.id);
    });
  });
});

/**
 * What a tool of a tenant logs, from its worker to the trace of the call: with real spans, as every process makes them. They go through what
 * is patched before anything else is loaded.
 *
 * @jest-environment node
 */
import '#telemetry';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { spanSink } from '#lib/platform';
import { eventually } from '#lib/testing';
import { handle, serve, type ServedWorker } from '#lib/serve';
import { TestHttpGateway } from '../test-http-gateway.js';
import { contractOf } from './test-contract.js';

const name = 'logging_tool';
let gateway: TestHttpGateway;
let worker: ServedWorker;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
  const key = await gateway.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  const isServing = Promise.withResolvers<void>();
  worker = serve({
    tools: [
      handle(contractOf(name), ({ text }, { log, attempt }) => {
        log('info', `${text} ${attempt}`);
        log('warn', 'asked with Bearer abc123.def');
        return { said: text };
      }),
    ],
    url: `http://127.0.0.1:${gateway.port}`,
    key,
    domain: 'sales',
    stopsOnSignal: false,
    onEvent: ({ kind }) => kind === 'serving' && isServing.resolve(),
  });
  await Promise.race([isServing.promise, worker.stopped]);
});
afterAll(async () => {
  await worker.stop();
  await gateway[Symbol.asyncDispose]();
});

const answer = z.object({ metadata: z.object({ trace_id: z.string() }) });
const trace = z.object({ spans: z.array(z.object({ kind: z.string(), attributes: z.record(z.string(), z.unknown()) })) });

/** The attempt's span of a call by this reader, as the reader sees it. */
async function attemptSeenBy(authorization: string) {
  const { body } = await gateway.post(`/tools/${name}`, { text: 'half' }, authorization);
  const { trace_id } = answer.parse(JSON.parse(body)).metadata;
  return eventually(
    async () => {
      await spanSink.flush();
      const read = await gateway.send(`/traces/${trace_id}`, { authorization });
      const attempt = read.status === 200 ? trace.parse(JSON.parse(read.body)).spans.find(({ kind }) => kind === 'consumer') : undefined;
      return attempt?.attributes;
    },
    { what: 'the span of the attempt' },
  );
}

const seen = [expect.stringMatching(/^\d+ ms info: half 1$/), expect.stringMatching(/^\d+ ms warn: asked with Bearer \[redacted\]$/)];

test('is on the span of its attempt, with secrets masked, for an administrator of the tenant', async () => {
  const key = `Bearer ${await gateway.tenant.key({ userId: null, scopes: ['tools:write', 'tenant:admin'] })}`;
  expect(await attemptSeenBy(key)).toMatchObject({ 'invoq.tool': name, 'invoq.log': seen });
});

test('is not shown to another caller outside of development', async () => {
  const attributes = await attemptSeenBy(gateway.user);
  expect(attributes).toMatchObject({ 'invoq.tool': name });
  expect(attributes).not.toHaveProperty('invoq.log');
});

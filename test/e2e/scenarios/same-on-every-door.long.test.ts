// One call through every door: JSON, 202 and polling, event stream, batch, the native route, MCP. The same outcome, the same
// words, the caller's own trace, the same additions for those who ask for them, for every tool of every domain, with good
// parameters and with bad ones. What a tool needs outside is not there: then it fails, and that is the same on every door too.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { z } from 'zod';
import {
  domains,
  errorCodes,
  nativeOutcome,
  nativeShapes,
  tools as contracts,
  type ErrorCode,
  type Outcome,
  type ToolContract,
} from '#lib/contracts';
import {
  acceptedShape,
  batchShape,
  envelopeShape,
  givenStores,
  jobShape,
  startSystem,
  startTimeoutMs,
  type EnvelopeShape,
  type HttpCaller,
} from '#lib/testing';
import { migrate } from '../../../scripts/provision/migrate.js';
import { startPostgres } from '../../../scripts/provision/private-stores.js';
import { verifies } from '../verifies.js';

jest.setTimeout(180_000);

const nowhere = 'http://127.0.0.1:9';
const unreachable = {
  INVOQ_URL: nowhere,
  WEATHER_API_BASE: nowhere,
  STRIPE_API_BASE: nowhere,
  STRIPE_SECRET_KEY: 'rk_test_differential',
  MODEL_BASE_URL: nowhere,
};
const options = 'enable_cache=false&enable_retry=false&metacognition=true&debug=true';
const definition = z.looseObject({
  name: z.string(),
  domain: z.string(),
  read_only: z.boolean(),
  streaming: z.boolean(),
  deprecated: z.boolean(),
  examples: z.array(z.looseObject({ input: z.record(z.string(), z.unknown()) })).min(1),
});
type Definition = z.output<typeof definition>;
interface Asked {
  readonly user: HttpCaller;
  readonly mcp: Client;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The trace id that the call brings along. */
  readonly traceId: string;
}
type Door = (call: Asked) => Promise<EnvelopeShape>;

const doors: Readonly<Record<string, Door>> = {
  json: async ({ user, name, input, traceId }) =>
    (await user.post(`/tools/${name}?${options}`, { ...input, _trace_id: traceId })).as(envelopeShape),
  'rest-shaped': async ({ user, name, input, traceId }) =>
    (await user.post(`/tools/call?${options}`, { name, arguments: { ...input, _trace_id: traceId } })).as(envelopeShape),
  batch: async ({ user, name, input, traceId }) => {
    const reply = await user.post(`/tools/batch?${options}`, { calls: [{ id: 1, name, arguments: { ...input, _trace_id: traceId } }] });
    const [result] = reply.as(batchShape).results;
    if (!result) throw new Error('a batch without a result');
    return result.envelope;
  },
  polling: async ({ user, name, input, traceId }) => {
    const reply = await user.post(`/tools/${name}?${options}`, { ...input, _trace_id: traceId }, { prefer: 'respond-async' });
    if (reply.status !== 202) return reply.as(envelopeShape);
    const { job_id: jobId } = reply.as(acceptedShape);
    const { result } = (await user.get(`/jobs/${jobId}?wait=60`)).as(jobShape);
    if (!result) throw new Error(`${name} did not end`);
    return result;
  },
  stream: async ({ user, name, input, traceId }) => {
    await using stream = await user.stream(`/tools/${name}/sse?${options}`, { method: 'POST', json: { ...input, _trace_id: traceId } });
    return envelopeShape.parse((await stream.rest()).at(-1)?.data);
  },
  mcp: async ({ mcp, name, input, traceId }) => {
    const { structuredContent } = await mcp.callTool({ name, arguments: { ...input, _trace_id: traceId } });
    return envelopeShape.parse(structuredContent);
  },
};

/** What must be the same: everything but times, ids, and what a model is never given (C-27). */
function normalised(
  { success, status, data, error, metadata, debug_info: debug }: EnvelopeShape,
  { read_only: readOnly, streaming }: Definition,
): object {
  const { content_base64: _, ...rest } = data ?? {};
  return {
    success,
    status,
    // What is made anew by each call has the same fields and not the same values.
    data: data && (readOnly && !streaming ? timeless(rest) : Object.keys(rest).toSorted()),
    error: error && timeless({ ...error, retry_after_ms: undefined }),
    metadata: {
      tool_name: metadata.tool_name,
      tool_version: metadata.tool_version,
      attempts: metadata.attempts,
      warnings: metadata.warnings?.length,
      metacognition: metadata.metacognition?.checked,
    },
    debug: debug && Object.keys(debug).toSorted(),
  };
}

const known: readonly ToolContract[] = contracts;
const family = z.custom<ErrorCode>((code) => typeof code === 'string' && Object.hasOwn(errorCodes, code)).catch('EXECUTION_ERROR');

/** The outcome that an envelope was made of: what a source document's own shape is made of too. */
function outcomeOf({ data, error, metadata: { warnings } }: EnvelopeShape): Outcome {
  if (!error) return { ok: true, data, warnings };
  const { code, native_code, message, details, retry_after_ms, retryable: _, hint: _hint, ...extra } = error;
  return { ok: false, error: { code, family: family.parse(code), native_code, message, details, retry_after_ms, extra } };
}

/** A success has a sentence for people in some of those shapes, which the envelope has no place for. */
function toldNatively(answer: unknown, { success }: EnvelopeShape, { read_only: readOnly }: Definition): unknown {
  const { message, ...rest } = z.looseObject({}).parse(answer);
  if (!success) return timeless({ ...rest, message });
  return readOnly ? timeless(rest) : Object.keys(rest).toSorted();
}

function timeless(value: object): unknown {
  const varies = (key: string, item: unknown) =>
    typeof item === 'string' ? /^\d{4}-\d\d-\d\dT|^https?:/.test(item) : typeof item === 'number' && key.endsWith('_ms');
  const plain: unknown = JSON.parse(JSON.stringify(value, (key, item: unknown) => (varies(key, item) ? '<varies>' : item)));
  return plain;
}

describe.each(Object.keys(domains))('every tool of %s', (domain) => {
  const started = new AsyncDisposableStack();
  let user: HttpCaller;
  let mcp: Client;
  let tools: readonly Definition[];
  let natives = 0;

  beforeAll(async () => {
    const mains = { gateway: 'dist/apps/gateway/src/main.js', worker: `dist/apps/${domain}-worker/src/main.js` };
    // Merchants are the whole platform's, not a tenant's: those of other tests come and go.
    const postgres = domain === 'stripe' ? started.use(await startPostgres()) : null;
    if (postgres) await migrate(postgres.url);
    const stores = postgres ? { ...givenStores(), databaseUrl: postgres.url } : givenStores();
    const system = started.use(await startSystem({ stores, mains, workerEnv: unreachable }));
    user = await system.caller();
    const authorization = `Bearer ${await system.tenant.key()}`;
    mcp = new Client({ name: 'differential', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
    const url = new URL(`/mcp?${options}`, system.gateway.url);
    await mcp.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }));
    tools = (await user.get(`/tools?domain=${domain}`))
      .as(z.looseObject({ tools: z.array(definition) }))
      .tools.filter(({ deprecated }) => !deprecated);
  }, startTimeoutMs);
  afterAll(async () => {
    await mcp?.close();
    await started.disposeAsync();
  });

  const compareNative = async (tool: Definition, input: Readonly<Record<string, unknown>>, envelope: EnvelopeShape) => {
    const contract = known.find(({ name }) => name === tool.name);
    const shape = contract?.source && nativeShapes[contract.source];
    if (!contract || !shape) return;
    const traceId = 'trace_differential_native';
    const reply = await user.post(`/${contract.source}/${tool.name}?${options}`, { ...input, _trace_id: traceId });
    expect([tool.name, reply.headers.get('x-trace-id')]).toEqual([tool.name, traceId]);
    const expected = shape(nativeOutcome(outcomeOf(envelope), contract));
    expect([tool.name, toldNatively(reply.body, envelope, tool)]).toEqual([tool.name, toldNatively(expected, envelope, tool)]);
    natives += 1;
  };

  const compare = async (tool: Definition, input: Readonly<Record<string, unknown>>) => {
    const seen: Record<string, object> = {};
    for (const [door, call] of Object.entries(doors)) {
      const traceId = `trace_differential_${door.replaceAll('-', '_')}`;
      const envelope = await call({ user, mcp, name: tool.name, input, traceId });
      expect([tool.name, door, envelope.metadata.trace_id]).toEqual([tool.name, door, traceId]);
      seen[door] = normalised(envelope, tool);
      if (door === 'json') await compareNative(tool, input, envelope);
    }
    for (const [door, envelope] of Object.entries(seen)) expect([tool.name, door, envelope]).toEqual([tool.name, door, seen['json']]);
  };

  verifies(['TU-01', 'TU-45', 'TU-44'], 'answers the same with good parameters', async () => {
    expect(tools.length).toBeGreaterThan(0);
    // What a tool writes at one door is there for the next.
    for (const tool of tools.filter(({ read_only: readOnly }) => readOnly))
      for (const { input } of tool.examples) await compare(tool, input);
  });

  verifies(['TU-17', 'TU-92'], 'refuses the same in the same words: what is missing, and what does not belong', async () => {
    for (const tool of tools) for (const input of [{}, { ...tool.examples[0]?.input, stranger: 1 }]) await compare(tool, input);
  });

  test('was compared with its native route where its source document has one', () => {
    expect(natives > 0).toBe(known.some((tool) => tool.domain === domain && tool.source));
  });

  test('is not there on any door under another name', async () => {
    const [tool] = tools;
    if (!tool) throw new Error('no tools');
    const { mcp: _, ...others } = doors;
    for (const call of Object.values(others)) {
      const envelope = await call({ user, mcp, name: `${tool.name}_x`, input: {}, traceId: 'trace_unknown' });
      expect(envelope.error?.code).toBe('TOOL_NOT_FOUND');
    }
    await expect(mcp.callTool({ name: `${tool.name}_x`, arguments: {} })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('not found'),
    });
  });
});

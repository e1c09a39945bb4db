// The doors, each as a plain HTTP request on a kept connection: what is measured is the door, not a client library.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { noRuns, type Call, type Driver, type Target } from '../load/call.js';
import { newWeight, parametersOf } from '../load/parameters.js';
import { DoorConnection } from './door-connection.js';

interface Places extends Target {
  readonly bareMcpUrl: string;
}

interface Door {
  readonly title: string;
  readonly open: (places: Places, callers: number) => Promise<Driver>;
}

const envelope = z.object({ success: z.literal(true), data: z.object({ bmi: z.number() }) });
const accepted = z.object({ job_id: z.string() });
const job = z.object({ state: z.literal('completed'), result: envelope });
const batch = z.object({ results: z.array(envelope) });
const toolResult = z.object({ result: z.object({ structuredContent: envelope }) });
const native = z.object({ status: z.literal('success'), data: z.object({ bmi: z.number() }) });

type Parameters = ReturnType<typeof parametersOf>;
type Round = (connection: DoorConnection, parameters: Parameters) => Promise<number>;

const computed = () => parametersOf(newWeight());
/** Questions that cached calls ask in turns. */
const keptSets = Array.from({ length: 100 }, (_, index) => parametersOf(60 + index / 10, 31));
let turn = 0;
const kept = () => keptSets[(turn += 1) % keptSets.length] ?? parametersOf(70, 31);

function door(title: string, round: Round, parameters: () => Parameters = computed): Door {
  return {
    title,
    open: async ({ gatewayUrl, bareMcpUrl, apiKey }, callers) => {
      const connections = Array.from({ length: callers }, () => new DoorConnection({ base: gatewayUrl, bareMcpUrl, apiKey }));
      const calls = connections.map((connection): Call => async () => {
        const given = parameters();
        const bmi = await round(connection, given);
        if (Math.abs(bmi - given.weight_kg / (given.height_cm / 100) ** 2) > 0.0051) throw new Error(`somebody else's answer: ${bmi}`);
      });
      if (parameters === kept) for (const set of keptSets) await connections[0]?.warm(set);
      return { calls, workerRuns: noRuns, [Symbol.asyncDispose]: async () => connections.forEach((one) => one[Symbol.dispose]()) };
    },
  };
}

const mcpCall = (parameters: Parameters) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'calc_metrics',
    arguments: parameters,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
});
const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'calc_metrics' };
const legacy = { 'mcp-protocol-version': '2025-11-25' };
/** As `initialize` gives it to a client that can be asked. */
const session = `${randomUUID()}.${Buffer.from(JSON.stringify({ elicitation: {} })).toString('base64url')}`;
const legacyCall = (parameters: Parameters) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'calc_metrics', arguments: parameters },
});
const mcp: Round = async (connection, parameters) =>
  toolResult.parse(await connection.post('/mcp', mcpCall(parameters), modern)).result.structuredContent.data.bmi;

const json: Round = async (connection, parameters) => envelope.parse(await connection.post('/tools/calc_metrics', parameters)).data.bmi;
const nativeShape: Round = async (connection, parameters) =>
  native.parse(await connection.post('/aurawell/calc_metrics', parameters)).data.bmi;
/** A batch of so many calls: the given one, and others. */
const batched =
  (size: number, others: () => Parameters = computed): Round =>
  async (connection, parameters) => {
    const all = [parameters, ...Array.from({ length: size - 1 }, others)];
    const calls = all.map((given, id) => ({ id, name: 'calc_metrics', arguments: given }));
    const { results } = batch.parse(await connection.post('/tools/batch', { calls }));
    const first = results[0];
    if (!first || results.length !== size) throw new Error(`${results.length} answers to ${size} calls`);
    return first.data.bmi;
  };
const stream: Round = async (connection, parameters) =>
  envelope.parse(await connection.lastEvent('/tools/calc_metrics/sse', parameters, { accept: 'text/event-stream' })).data.bmi;
const older =
  (headers: Readonly<Record<string, string>>): Round =>
  async (connection, parameters) =>
    toolResult.parse(await connection.lastEvent('/mcp', legacyCall(parameters), headers)).result.structuredContent.data.bmi;
const mcpLegacy = older(legacy);
const mcpSession = older({ ...legacy, 'mcp-session-id': session });

export const doors = {
  json: door('POST /tools/calc_metrics', json),
  native: door('POST /aurawell/calc_metrics', nativeShape),
  batch: door('POST /tools/batch, one call', batched(1)),
  batchOf16: door('POST /tools/batch, 16 calls', batched(16)),
  polling: door('202, then GET /jobs/{id}?wait', async (connection, parameters) => {
    const { job_id: jobId } = accepted.parse(await connection.post('/tools/calc_metrics', parameters, { prefer: 'respond-async' }));
    return job.parse(await connection.get(`/jobs/${jobId}?wait=10`)).result.data.bmi;
  }),
  stream: door('POST /tools/calc_metrics/sse', stream),
  mcp: door('MCP 2026-07-28', mcp),
  mcpLegacy: door('MCP 2025-11-25', mcpLegacy),
  mcpSession: door('MCP 2025-11-25, in a session', mcpSession),
  cached: door('POST /tools/calc_metrics, cached', json, kept),
  nativeCached: door('POST /aurawell/calc_metrics, cached', nativeShape, kept),
  batchCached: door('POST /tools/batch, one call, cached', batched(1), kept),
  batchOf16Cached: door('POST /tools/batch, 16 calls, cached', batched(16, kept), kept),
  streamCached: door('POST /tools/calc_metrics/sse, cached', stream, kept),
  mcpCached: door('MCP 2026-07-28, cached', mcp, kept),
  mcpLegacyCached: door('MCP 2025-11-25, cached', mcpLegacy, kept),
  bare: door(
    'bare SDK server, the tool in its own process',
    async (connection, parameters) =>
      toolResult.parse(await connection.postBare(mcpCall(parameters), modern)).result.structuredContent.data.bmi,
  ),
} as const satisfies Record<string, Door>;

export type DoorName = keyof typeof doors;

/** Whether its calls are answered from the cache. */
export const isCached = (name: DoorName): boolean => name.toLowerCase().endsWith('cached');

// The doors, each as a plain HTTP request on a kept connection: what is measured is the door, not a client library.
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
const batch = z.object({ results: z.tuple([envelope]) });
const toolResult = z.object({ result: z.object({ structuredContent: envelope }) });
const native = z.object({ status: z.literal('success'), data: z.object({ bmi: z.number() }) });

type Parameters = ReturnType<typeof parametersOf>;
type Round = (connection: DoorConnection, parameters: Parameters) => Promise<number>;

const computed = () => parametersOf(newWeight());
const kept = parametersOf(70, 31);

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
      await connections[0]?.warm(kept);
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
const legacyCall = (parameters: Parameters) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'calc_metrics', arguments: parameters },
});
const mcp: Round = async (connection, parameters) =>
  toolResult.parse(await connection.post('/mcp', mcpCall(parameters), modern)).result.structuredContent.data.bmi;

export const doors = {
  json: door(
    'POST /tools/calc_metrics',
    async (connection, parameters) => envelope.parse(await connection.post('/tools/calc_metrics', parameters)).data.bmi,
  ),
  native: door(
    'POST /aurawell/calc_metrics',
    async (connection, parameters) => native.parse(await connection.post('/aurawell/calc_metrics', parameters)).data.bmi,
  ),
  batch: door('POST /tools/batch, one call', async (connection, parameters) => {
    const body = { calls: [{ id: 1, name: 'calc_metrics', arguments: parameters }] };
    return batch.parse(await connection.post('/tools/batch', body)).results[0].data.bmi;
  }),
  polling: door('202, then GET /jobs/{id}?wait', async (connection, parameters) => {
    const { job_id: jobId } = accepted.parse(await connection.post('/tools/calc_metrics', parameters, { prefer: 'respond-async' }));
    return job.parse(await connection.get(`/jobs/${jobId}?wait=10`)).result.data.bmi;
  }),
  stream: door(
    'POST /tools/calc_metrics/sse',
    async (connection, parameters) =>
      envelope.parse(await connection.lastEvent('/tools/calc_metrics/sse', parameters, { accept: 'text/event-stream' })).data.bmi,
  ),
  mcp: door('MCP 2026-07-28', mcp),
  mcpLegacy: door(
    'MCP 2025-11-25',
    async (connection, parameters) =>
      toolResult.parse(await connection.lastEvent('/mcp', legacyCall(parameters), legacy)).result.structuredContent.data.bmi,
  ),
  cached: door(
    'POST /tools/calc_metrics, cached',
    async (connection, parameters) => envelope.parse(await connection.post('/tools/calc_metrics', parameters)).data.bmi,
    () => kept,
  ),
  mcpCached: door('MCP 2026-07-28, cached', mcp, () => kept),
  bare: door(
    'bare SDK server, the tool in its own process',
    async (connection, parameters) =>
      toolResult.parse(await connection.postBare(mcpCall(parameters), modern)).result.structuredContent.data.bmi,
  ),
} as const satisfies Record<string, Door>;

export type DoorName = keyof typeof doors;

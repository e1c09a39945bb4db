// Our own call over HTTP, by each kind of door. Every answer is checked: it belongs to this call, and it was computed or cached as intended.
import { z } from 'zod';
import type { Call, Driver, Target } from './call.js';
import { clientHead } from './client-heads.js';
import { HttpConnection, postHead } from './http-connection.js';
import { newWeight, parametersOf } from './parameters.js';

const answerShape = z.object({
  success: z.literal(true),
  data: z.object({ bmi: z.number() }),
  metadata: z.object({ cache: z.object({ hit: z.boolean() }), attempts: z.number().optional(), job_id: z.string().optional() }),
});

const accepted = z.object({ job_id: z.string() });
const job = z.object({ state: z.literal('completed'), result: answerShape });
const toolResult = z.object({ result: z.object({ structuredContent: answerShape }) });

type Answer = z.infer<typeof answerShape>;
type Parameters = ReturnType<typeof parametersOf>;

/** How a door is asked. */
type Ask = (connection: HttpConnection, parameters: Parameters) => Promise<Answer>;
/** @param client headers that the client sends besides */
type Door = (target: Target, client: Readonly<Record<string, string>>) => Ask;

const authorized = ({ apiKey }: Target) => ({ authorization: `Bearer ${apiKey}` });

const jsonDoor: Door = (target, client) => {
  const head = postHead(`${target.gatewayUrl}/tools/calc_metrics`, { ...client, ...authorized(target) });
  return async (connection, parameters) => answerShape.parse(JSON.parse(await connection.post(head, JSON.stringify(parameters))));
};

/** 202 at once, then a request that waits for the end. */
const asyncDoor: Door = (target) => {
  const head = postHead(`${target.gatewayUrl}/tools/calc_metrics`, { ...authorized(target), prefer: 'respond-async' });
  const headers = { host: new URL(target.gatewayUrl).host, ...authorized(target) };
  return async (connection, parameters) => {
    const { job_id: jobId } = accepted.parse(JSON.parse(await connection.post(head, JSON.stringify(parameters))));
    return job.parse(JSON.parse(await connection.get(`/jobs/${jobId}?wait=10`, headers))).result;
  };
};

/** The answer is the last event. */
const streamDoor: Door = (target) => {
  const head = postHead(`${target.gatewayUrl}/tools/calc_metrics/sse`, { ...authorized(target), accept: 'text/event-stream' });
  return async (connection, parameters) => {
    const text = await connection.post(head, JSON.stringify(parameters));
    return answerShape.parse(JSON.parse(/^data: (.*)$/m.exec(text.slice(text.lastIndexOf('\ndata: ') + 1))?.[1] ?? 'null'));
  };
};

const mcpDoor: Door = (target) => {
  const version = '2026-07-28';
  const head = postHead(`${target.gatewayUrl}/mcp`, {
    ...authorized(target),
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': version,
    'mcp-method': 'tools/call',
    'mcp-name': 'calc_metrics',
  });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return async (connection, parameters) => {
    const params = { name: 'calc_metrics', arguments: parameters, _meta: meta };
    const text = await connection.post(head, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }));
    return toolResult.parse(JSON.parse(text)).result.structuredContent;
  };
};

/** Calls that are computed. Each has an age of its own, so that none finds the answers of another. */
export const openUncachedCall = computed(jsonDoor, 30);
export const openAsyncCall = computed(asyncDoor, 32);
export const openStreamCall = computed(streamDoor, 33);
export const openMcpCall = computed(mcpDoor, 34);

/** Parameters never seen before, so each call goes through cache, queue, worker and back. */
function computed(door: Door, age: number) {
  const plan: Plan = {
    door,
    parameters: () => parametersOf(newWeight(), age),
    check: ({ metadata }, jobs) => {
      const { cache, attempts, job_id: jobId } = metadata;
      if (cache.hit) throw new Error('an answer from the cache where a computed one was meant');
      if (attempts !== 1) throw new Error(`${attempts ?? 'no'} attempts where one was meant`);
      if (!jobId || jobs.has(jobId)) throw new Error('an answer without a job of its own');
      jobs.add(jobId);
    },
  };
  return (target: Target, callers: number): Promise<Driver> => open(target, callers, plan);
}

/** Sets of parameters that cached calls take in turns. */
const cachedSets = 1_000;

/** Parameters that were all seen before. */
export async function openCachedCall(target: Target, callers: number): Promise<Driver> {
  let given = 0;
  const driver = await open(target, callers, {
    door: jsonDoor,
    parameters: () => parametersOf(40 + (given++ % cachedSets) / 10, 31),
    check: ({ metadata }, jobs) => {
      if (metadata.cache.hit) return;
      // The first answers fill the cache.
      if (jobs.size >= cachedSets) throw new Error('a computed answer where one from the cache was meant');
      jobs.add(metadata.job_id ?? '');
    },
  });
  const callOften = async (call: Call): Promise<void> => {
    for (let time = 0; time < cachedSets / callers; time++) await call();
  };
  await Promise.all(driver.calls.map(callOften));
  return driver;
}

interface Plan {
  readonly door: Door;
  readonly parameters: () => Parameters;
  /** @param jobs the jobs that answers so far came from */
  readonly check: (answer: Answer, jobs: Set<string>) => void;
}

async function open(target: Target, callers: number, { door, parameters, check }: Plan): Promise<Driver> {
  const connections = await Promise.all(Array.from({ length: callers }, () => HttpConnection.open(target.gatewayUrl)));
  const jobs = new Set<string>();
  const calls = connections.map((connection, caller): Call => {
    const ask = door(target, clientHead(caller));
    return async () => {
      const given = parameters();
      const answer = await ask(connection, given);
      const bmi = given.weight_kg / (given.height_cm / 100) ** 2;
      if (Math.abs(answer.data.bmi - bmi) > 0.0051)
        throw new Error(`somebody else's answer: a BMI of ${answer.data.bmi}, not ${bmi.toFixed(2)}`);
      check(answer, jobs);
    };
  });
  return {
    calls,
    workerRuns: () => jobs.size,
    [Symbol.asyncDispose]: async () => connections.forEach((connection) => connection[Symbol.dispose]()),
  };
}

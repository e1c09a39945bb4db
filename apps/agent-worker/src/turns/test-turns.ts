// Turns as the worker runs them, for tests: jobs accepted in a real Redis, conversations in a real Postgres, skills in a folder.
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { chatTurn, domains, guestCredential, guestTenant, parseAgentOutput, type AgentOutput, type Caller } from '#lib/contracts';
import { createDatabase, createLogger } from '#lib/platform';
import {
  CallReports,
  EventLog,
  InvocationStore,
  Metrics,
  newJobId,
  QuotaTracker,
  RedisKeys,
  Sealer,
  SharedClock,
  partitionOf,
} from '#lib/transport';
import {
  givenStores,
  jsonAnswer,
  ModelServer,
  newNamespace,
  startScriptedServer,
  testFiles,
  testRedis,
  type ReceivedRequest,
  type ScriptedAnswer,
  type ScriptedReply,
  type ScriptedServer,
} from '#lib/testing';
import { runTool } from '#lib/handlers';
import { agentSettings } from '../config.js';
import { createServices } from '../create-services.js';
import { handleChatTurn } from '../tools/chat-turn.js';
import type { TurnInput } from './turn.js';

const sealingKey = randomBytes(32).toString('base64');

/** Tools of each skill; `core` is always in use. */
const skillTools: Readonly<Record<string, string>> = {
  core: 'look_up, change_it',
  alpha: 'alpha_tool, show_bazi_chart, read_skill_file',
  beta: 'beta_tool, change_it',
  gamma: "'crm__*'",
};

export interface AcceptedTurn {
  readonly jobId: string;
  readonly input: TurnInput;
  readonly caller: Caller;
}

type Env = Readonly<Record<string, string>>;

const toolNames = ['look_up', 'change_it', 'alpha_tool', 'beta_tool', 'search_knowledge', 'user_profile_lookup'];
/** Of the skill `gamma`: too many for a model. */
export const manyNames = Array.from({ length: 500 }, (_, n) => `crm__tool_${n + 1}`);
export const toolMetadata = { tool_name: 't', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace_of_the_turn' };

/** A gateway whose tools answer as `answers` says, else with their own name. Only `change_it` has an effect. */
async function startGateway(answers: ReadonlyMap<string, ScriptedAnswer>): Promise<ScriptedServer> {
  const tools = [...toolNames, ...manyNames].map((name) => ({
    name,
    description: name,
    parameters: { type: 'object' },
    read_only: name !== 'change_it',
  }));
  const route: ScriptedAnswer = (response, request) => {
    const [, tool] = /^\/tools\/(\w+)/.exec(request.url) ?? [];
    const query = new URL(request.url, 'http://gateway').searchParams.get('query');
    const found = query === null ? tools : tools.filter(({ name }) => name.includes(query));
    const answer = tool === undefined ? jsonAnswer(200, { tools: found }) : answers.get(tool);
    return (answer ?? jsonAnswer(200, { success: true, data: { from: tool }, metadata: toolMetadata }))(response, request);
  };
  return startScriptedServer(...Array.from({ length: 500 }, () => route));
}

export async function startTurnLab() {
  const { redisUrl, databaseUrl } = givenStores();
  const namespace = newNamespace();
  const redis = testRedis(namespace);
  const model = await ModelServer.start();
  const answers = new Map<string, ScriptedAnswer>();
  const gateway = await startGateway(answers);
  const keys = new RedisKeys(namespace);
  const sealer = new Sealer([{ id: 'k', key: Buffer.from(sealingKey, 'base64') }]);
  const store = new InvocationStore({ redis, keys, sealer, files: testFiles(namespace) });
  const events = new EventLog(redis, keys);
  const quota = new QuotaTracker({ redis, keys, timeZone: 'UTC' });
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-skills-'));
  for (const [name, tools] of Object.entries(skillTools)) {
    mkdirSync(join(folder.path, name));
    const text = `---\nname: ${name}\ndescription: About ${name}\ntools: [${tools}]\n---\nInstructions of ${name}.\n`;
    writeFileSync(join(folder.path, name, 'SKILL.md'), text);
  }
  const databases = new Map<string, ReturnType<typeof createDatabase>>();
  const databaseAt = (url: string) => {
    const database = databases.get(url) ?? createDatabase({ url, poolSize: 2, name: 'turn-tests' });
    databases.set(url, database);
    return database;
  };

  /** One process of the agent. */
  function agent(env: Env = {}) {
    const settings = z.object(agentSettings).parse({
      NODE_ENV: 'test',
      REDIS_URL: redisUrl,
      DATABASE_URL: databaseUrl,
      SEALING_KEYS: `k:${sealingKey}`,
      INVOQ_URL: gateway.url,
      MODEL: 'scripted',
      MODEL_BASE_URL: model.url,
      SKILLS_DIR: folder.path,
      ...env,
    });
    const partitions = { all: () => [partitionOf('agent')] };
    const log = createLogger('test', 'silent');
    const [clock, metrics] = [new SharedClock(), new Metrics()];
    const reports = new CallReports(log, clock.now, metrics);
    const infrastructure = { redis, keys, partitions, sealer, store, clock, metrics, reports };
    return createServices({ settings, database: databaseAt(settings.DATABASE_URL), infrastructure, root: process.cwd(), log });
  }

  /** An accepted turn that has not run. */
  async function accept(caller: Caller, input: Partial<TurnInput> & Pick<TurnInput, 'message'>): Promise<AcceptedTurn> {
    const whole: TurnInput = {
      conversation_id: randomUUID(),
      mode: 'complex',
      begins: false,
      regenerate: false,
      dialect: 'source',
      ...input,
    };
    const jobId = newJobId(partitionOf('agent'));
    await store.accept(domains.agent, {
      jobId,
      deadline: Date.now() + 60_000,
      fingerprint: jobId,
      idempotencyKey: null,
      readCache: false,
      head: {
        v: 1,
        tool: chatTurn.name,
        version: chatTurn.version,
        input: whole,
        caller,
        sessionId: null,
        traceId: 'trace_of_the_turn',
        traceparent: '',
        createdAt: Date.now(),
        validationMs: 0,
        maxAttempts: 1,
        retry: true,
        flightKey: null,
        cacheKey: null,
      },
    });
    return { jobId, input: whole, caller };
  }

  const stops: AbortController[] = [];
  /** Runs that a test has left hanging, and those that still store what they have after a stop. */
  const open = new Set<Promise<unknown>>();
  const tracked: typeof handleChatTurn = {
    contract: handleChatTurn.contract,
    run: (input, context) => {
      const running = handleChatTurn.run(input, context);
      open.add(running);
      return running;
    },
  };

  /** Runs a turn at an agent; a second run of the same job takes it away from the first, as after a crash. */
  async function run(
    turn: AcceptedTurn,
    services: ReturnType<typeof agent>,
    { stop = new AbortController(), isDeleted = false }: { readonly stop?: AbortController; readonly isDeleted?: boolean } = {},
  ) {
    const { jobId, input, caller } = turn;
    const begun = await store.begin(jobId, Date.now());
    if (begun.kind !== 'begun') throw new Error(`the job is ${begun.kind}`);
    // As the deletion of its conversation does.
    if (isDeleted) await store.forget([jobId]);
    stops.push(stop);
    return runTool(tracked, services, {
      jobId,
      number: begun.attempt,
      input,
      caller,
      sessionId: null,
      stop: stop.signal,
      onProgress: () => undefined,
      traceId: 'trace_of_the_turn',
      output: async (data) => {
        if (!(await store.attempts.output(jobId, begun.attempt, data))) stop.abort(new Error('another attempt has the job'));
      },
      earlierOutput: async () => (begun.attempt === 1 ? [] : events.outputs(jobId)),
    });
  }

  const outputs = async (jobId: string): Promise<readonly AgentOutput[]> => (await events.outputs(jobId)).map(parseAgentOutput);

  return {
    agent,
    accept,
    run,
    quota,
    sealer,
    keys,
    redis,
    model,
    gateway,
    /** Resolves when no attempt stores anything any more. */
    settled: async () => void (await Promise.allSettled(open)),
    /** What tools of the gateway answer; without an entry, their own name. */
    answers,
    database: databaseAt(databaseUrl),
    /** A message that no other test sends, and what the model answers to it. */
    scripted: (...replies: readonly ScriptedReply[]): string => {
      const message = `message ${randomUUID()}`;
      model.on(message, ...replies);
      return message;
    },
    outputs,
    outputTypes: async (jobId: string) => (await outputs(jobId)).map(({ type }) => type),
    storedTurn: (jobId: string) => databaseAt(databaseUrl).chatTurn.findFirst({ where: { id: jobId } }),
    /** @param since requests that came before are left out */
    gatewayCalls: (tool: string, since = 0): readonly ReceivedRequest[] =>
      gateway.requests.slice(since).filter(({ url }) => url.startsWith(`/tools/${tool}`)),
    async [Symbol.asyncDispose]() {
      for (const stop of stops) stop.abort(new Error('the tests are over'));
      await Promise.allSettled(open);
      await Promise.all([...databases.values()].map((database) => database.$disconnect()));
      for (const used of [gateway, model, redis]) await used[Symbol.asyncDispose]();
      folder.remove();
    },
  };
}

/** A user of a tenant of its own. */
export function newUser(): Caller {
  return { tenantId: `turns-${randomUUID()}`, userId: 'u', tier: 'free', scopes: ['tools:read'], credentialId: 'k' };
}

export function newGuest(): Caller {
  return { tenantId: guestTenant, userId: randomUUID(), tier: 'free', scopes: [], credentialId: `${guestCredential}127.0.0.1` };
}

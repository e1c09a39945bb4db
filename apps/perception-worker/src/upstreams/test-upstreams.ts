// Outside servers and what a worker process has to call them, for tests over a real Postgres and Redis.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import { openAccounts } from '#lib/accounts';
import { outsideContract, outsideServer, outsideServerId, validateInput } from '#lib/contracts';
import { createDatabase, createLogger, type Database } from '#lib/platform';
import { givenStores, newNamespace, testRedis } from '#lib/testing';
import { RedisKeys, Sealer } from '#lib/transport';
import { runTool, type StepRecords } from '#lib/handlers';
import { OutsideServer } from '../../../../test/e2e/outside-server.js';
import { handleRegisterMcpServer } from '../tools/register-mcp-server.js';
import { documents } from '../openapi/test-documents.js';
import { outsideHandler } from './outside-handler.js';
import { ServerStore } from './server-store.js';
import type { UpstreamServices } from './services.js';
import { reportFiles } from './test-report-files.js';
import { Upstreams } from './upstreams.js';

const log = createLogger('test', 'silent');
const namespace = newNamespace();
const keys = new RedisKeys(namespace);
/** What is registered here is this tenant's own. */
/** Of this file alone: a tenant may have so many servers. */
export const tenantId = `t${randomBytes(3).toString('hex')}`;
const caller = { tenantId, userId: 'admin', tier: 'pro', scopes: [], credentialId: 'k' } as const;
export const tool = (name: string, more: object = {}) => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' as const, properties: { word: { type: 'string' } } },
  ...more,
});

type AttemptResult = Awaited<ReturnType<typeof runTool>>;

export let database: Database;
let redis: ReturnType<typeof testRedis>;
export const sealer = new Sealer([{ id: 'k1', key: randomBytes(32) }]);
const names: string[] = [];

/** Opens the stores for the test file that calls it, and closes them at its end. */
export function withStores(): void {
  beforeAll(() => {
    database = createDatabase({ url: givenStores().databaseUrl, poolSize: 3, name: 'upstreams-test' });
    redis = testRedis(namespace);
  });
  afterAll(async () => {
    await database.mcpServer.deleteMany({ where: { OR: names.map((name) => ({ id: { endsWith: name } })) } });
    await database.$disconnect();
    await redis[Symbol.asyncDispose]();
  });
}

export function newName(): string {
  const name = `t${randomBytes(5).toString('hex')}`;
  names.push(name);
  return name;
}

/** What one worker process has. */
export function openServices(
  rules: Partial<UpstreamServices['upstreamRules']> = {},
  recheckMs = 0,
  sessions?: { readonly most: number; readonly idleMs: number },
) {
  const servers = new ServerStore({ database, redis, keys, sealer });
  const upstreamRules = { allowedHosts: [], allowPrivate: true, commands: {}, documents, ...rules };
  const { accounts, ...ofAccounts } = openAccounts({ database, sealer, rules: { allowedHosts: [], allowPrivate: true }, log });
  const upstreams = new Upstreams({ rules: upstreamRules, store: servers, recheckMs, log, ...(sessions && { sessions }) });
  return { servers, upstreamRules, upstreams, accounts, ofAccounts, reportFiles, [Symbol.asyncDispose]: () => upstreams.close() };
}

const attemptOf = (
  input: unknown,
  {
    stop = new AbortController().signal,
    scopes = [],
    steps,
    userId = caller.userId,
    modelTools,
  }: {
    stop?: AbortSignal | undefined;
    scopes?: readonly string[];
    steps?: StepRecords | undefined;
    userId?: string | undefined;
    modelTools?: boolean | undefined;
  } = {},
) => ({
  ...(steps && { steps }),
  clientModelTools: modelTools,
  jobId: randomBytes(8).toString('hex'),
  number: 1,
  input,
  caller: { ...caller, userId, scopes },
  sessionId: null,
  stop,
  onProgress: () => undefined,
});
export const register = (services: UpstreamServices, input: object, scopes: readonly string[] = []): Promise<AttemptResult> =>
  runTool(handleRegisterMcpServer, services, attemptOf(validateInput(handleRegisterMcpServer.contract, input), { scopes }));

/** Calls a tool as it is approved now. */
export async function call(services: UpstreamServices, server: string, name: string): Promise<AttemptResult> {
  return callUntil(services, { server, name });
}

/** @param stop the caller leaves */
export async function callUntil(
  services: UpstreamServices,
  {
    server,
    name,
    stop,
    steps,
    input = name.startsWith('t') ? {} : { word: 'a' },
    userId,
    modelTools,
  }: {
    readonly server: string;
    readonly name: string;
    readonly stop?: AbortSignal;
    readonly steps?: StepRecords;
    readonly input?: object;
    readonly userId?: string;
    readonly modelTools?: boolean;
  },
): Promise<AttemptResult> {
  const ids = [tenantId, null].map((owner) => outsideServerId({ tenantId: owner, name: server }));
  const row = await database.mcpServer.findFirstOrThrow({ where: { id: { in: ids } } });
  const approved = outsideServer.parse(row);
  const definition = approved.tools.find((one) => one.name === name);
  if (!definition) throw new Error(`${server} has no tool ${name}`);
  return runTool(outsideHandler(outsideContract(approved, definition)), services, attemptOf(input, { stop, steps, userId, modelTools }));
}

export async function withServer(shape: 'mcp' | 'rest' = 'mcp') {
  const server = await OutsideServer.start(shape);
  server.tools = [tool('steady'), tool('shifty')];
  return {
    server,
    name: newName(),
    url: shape === 'mcp' ? `${server.url}/mcp` : server.url,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

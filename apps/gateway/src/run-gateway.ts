import 'reflect-metadata';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import helmet from '@fastify/helmet';
import cors from '@fastify/cors';
import { Module, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Catalog, domains, type ToolContract } from '#lib/contracts';
import { FileLinks, Files, openDisk } from '#lib/files';
import {
  createDatabase,
  createLogger,
  exitOnEviction,
  nestLogger,
  onceASecond,
  shutDownOnSignal,
  spanSink,
  tracePrefix,
} from '#lib/platform';
import { SkillLibrary } from '#lib/skills';
import {
  CallCounts,
  EventLog,
  Followers,
  InvocationStore,
  RedisKeys,
  OutsideTools,
  QuotaTracker,
  watchEvictionPolicy,
  requestConnection,
  Sealer,
  subscriberConnection,
  ToolQueues,
  TraceStore,
} from '#lib/transport';
import { installBullBoard } from './admin/bull-board.js';
import { serveMetrics } from './admin/metrics-port.js';
import { Probe } from './admin/health.controller.js';
import { ApiKeyDirectory } from './callers/api-key-directory.js';
import { ApiKeys } from './callers/api-keys.js';
import { Authenticator } from './callers/authenticator.js';
import { installGuard } from './callers/guard.js';
import { OpenRequests } from './callers/open-requests.js';
import { Tickets } from './callers/tickets.js';
import { Tokens } from './callers/tokens.js';
import { TurnTokens } from './callers/turn-tokens.js';
import { Users } from './callers/users.js';
import { controllers } from './controllers.js';
import { ChatDoor } from './chat/chat-door.js';
import { ChatQuota } from './chat/chat-quota.js';
import { ChatStreams } from './chat/chat-streams.js';
import { Conversations } from './chat/conversations.js';
import type { GatewaySettings } from './config.js';
import { Cursors } from './jobs/cursors.js';
import { JsonDoor } from './tools/json-door.js';
import { Cancellations } from './mcp/cancellations.js';
import { McpDoor } from './mcp/door.js';
import { installOriginGuard } from './mcp/origin-guard.js';
import { ProtectedResource } from './mcp/protected-resource.js';
import type { McpExtension } from './mcp/server.js';
import { McpServers } from './mcp/servers.js';
import { skillsIn } from './mcp/skills.js';
import { Tasks } from './mcp/tasks.js';
import { StreamDoor } from './jobs/stream-door.js';
import { bodyLimitOf } from './http/body-limit.js';
import { EventStreams } from './http/event-streams.js';
import { installJsonBody } from './http/json-body.js';
import { RouteTable } from './http/route-table.js';
import { ProblemFilter } from './http/problem.filter.js';
import { installRequestFacts } from './http/request-facts.js';
import { answerUnreadable, frameworkErrors } from './http/unreadable-request.js';
import { Answers } from './invocations/answers.js';
import { AnswerEnricher } from './invocations/answer-enricher.js';
import { Calls } from './invocations/calls.js';
import { Endings } from './invocations/endings.js';
import { ToolDirectory } from './invocations/tool-directory.js';
import { checkerFor } from './metacognition/checker-for.js';
import { ReviewCache } from './metacognition/review-cache.js';
import { FileInliner } from './invocations/file-inliner.js';
import { Invoker } from './invocations/invoker.js';
import { Limits } from './invocations/limits.js';

/** How long a stopping gateway goes on serving, with `Connection: close` on each answer. */
const noticeMs = 1_000;

interface GatewayDefinition {
  readonly settings: GatewaySettings;
  readonly contracts: readonly ToolContract[];
  /** Parts of MCP beside the product's own, for tests of the protocol. */
  readonly mcpExtensions?: readonly McpExtension[];
}

/** Starts a gateway process: one pipeline, several doors. It never runs a tool. */
export async function runGateway({ settings, contracts, mcpExtensions = [] }: GatewayDefinition): Promise<void> {
  const log = createLogger('gateway', settings.LOG_LEVEL);
  const catalog = new Catalog(contracts);
  const keys = new RedisKeys(settings.INVOQ_NAMESPACE);
  const redis = requestConnection(settings.REDIS_URL);
  const subscriber = subscriberConnection(settings.REDIS_URL);
  for (const client of [redis, subscriber])
    client.on(
      'error',
      onceASecond((error: Error) => log.warn({ event: 'redis-fault', err: error }, 'Redis connection')),
    );
  watchEvictionPolicy(redis, (policy) => exitOnEviction(log, policy));
  const database = createDatabase({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL,
    name: 'gateway',
    statementTimeoutMs: 2_000,
  });

  const [sealingKey] = settings.SEALING_KEYS;
  if (!sealingKey) throw new Error('SEALING_KEYS is empty');
  const sealer = new Sealer(settings.SEALING_KEYS);
  const store = new InvocationStore({ redis, keys, sealer });
  const queues = new ToolQueues(redis, keys);
  const followers = new Followers(subscriber, { store, log: new EventLog(redis, keys) });
  const traces = new TraceStore(redis, keys);
  // Traces are a help, not a duty: while Redis is away they are dropped.
  spanSink.attach((spans) => traces.append(spans));

  const directory = new ApiKeyDirectory((id) => database.apiKey.findUnique({ where: { id } }));
  const authenticator = new Authenticator({
    keys: directory,
    tokens: new Tokens(settings),
    users: new Users(database),
    turns: new TurnTokens(sealer, store),
    failuresPerMinute: settings.AUTH_FAILURES_PER_MINUTE,
  });
  const tickets = new Tickets(redis, keys);
  const limits = new Limits(new CallCounts(redis, keys), settings);
  const tools = new ToolDirectory(catalog, () => settings.LIFECYCLE_DATE ?? new Date());
  const showDebug = settings.NODE_ENV !== 'production';
  const files = new Files(database, await openDisk(settings));
  const reviews = new ReviewCache({ checker: await checkerFor(settings), redis, keys, log });
  const answers = new Answers({ store, sealer, tools });
  const calls = new Calls({
    invoker: new Invoker({ tools, limits, store, queues, followers, showDebug, log }),
    store,
    followers,
    tools,
    answers,
    enricher: new AnswerEnricher({ tools, fileInliner: new FileInliner({ catalog, files, log }), reviews, showDebug }),
    endings: new Endings({ store, queues, tools, log }),
  });
  const streams = new EventStreams(authenticator, log);
  const chat = new ChatDoor({
    calls,
    quota: new ChatQuota(new QuotaTracker({ redis, keys, timeZone: settings.QUOTA_TZ }), settings.GUEST_CHATS_PER_DAY),
    conversations: new Conversations(database),
    streams: new ChatStreams(streams),
  });
  const resource = new ProtectedResource({ issuer: settings.JWT_ISSUER, publicUrl: settings.PUBLIC_URL });
  const tasks = new Tasks(calls);
  const cancellations = new Cancellations({ redis, keys, calls });
  const extensions = [...(await skillsIn(settings.SKILLS_DIR, log)), ...mcpExtensions];
  const mcp = new McpDoor({ tools, calls, tasks, cancellations, extensions, resource, log });
  const outside = new OutsideTools({
    keys,
    subscriber,
    load: () => database.mcpServer.findMany({ orderBy: { name: 'asc' } }),
    catalog,
    onFault: (error) => log.warn({ event: 'outside-tools-fault', err: error }, 'the outside tools could not be read'),
  });
  outside.onChange(() => mcp.toolsChanged());
  const probe = new Probe({
    redis: () => (followers.isSubscribed ? redis.ping() : Promise.reject(new Error('not subscribed yet'))),
    postgres: () => database.$queryRaw`SELECT 1`,
  });

  const adapter = new FastifyAdapter({
    trustProxy: (_address: string, hop: number) => hop < settings.TRUSTED_PROXIES,
    forceCloseConnections: 'idle',
    // While it drains it goes on answering those it holds; the load balancer has been told by then.
    return503OnClosing: false,
    frameworkErrors: frameworkErrors(log),
    clientErrorHandler: answerUnreadable,
    requestTimeout: 30_000,
    connectionTimeout: 0,
    keepAliveTimeout: 65_000,
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 5_000 },
    routerOptions: { maxParamLength: 300 },
  });
  const fastify = adapter.getInstance();
  const routes = new RouteTable();
  installRequestFacts(fastify, (outward, w3cTraceId) => void traces.alias(outward, tracePrefix(w3cTraceId)).catch(() => undefined));
  routes.install(fastify);
  await fastify.register(helmet, { contentSecurityPolicy: false, strictTransportSecurity: settings.NODE_ENV === 'production' });
  await fastify.register(cors, {
    origin: settings.CORS_ORIGINS.length > 0 ? settings.CORS_ORIGINS : false,
    exposedHeaders: ['X-Trace-Id', 'X-Conversation-Id', 'Location', 'Retry-After', 'Idempotent-Replayed'],
  });
  fastify.addHook('onSend', async (_request, reply) => {
    if (probe.stopping) void reply.header('connection', 'close');
  });
  installOriginGuard(fastify, settings);
  const openRequests = new OpenRequests(settings.OPEN_REQUESTS_PER_CREDENTIAL);
  installGuard(fastify, { authenticator, tickets, openRequests, resource, log });
  await installBullBoard(fastify, queues);

  @Module({
    controllers: [...controllers],
    providers: [
      given(Catalog, catalog),
      given(RouteTable, routes),
      given(McpDoor, mcp),
      given(ProtectedResource, resource),
      given(McpServers, new McpServers({ database, redis, keys, outside, sealer })),
      given(ToolDirectory, tools),
      given(Calls, calls),
      given(JsonDoor, new JsonDoor(calls)),
      given(StreamDoor, new StreamDoor(streams)),
      given(ChatDoor, chat),
      given(SkillLibrary, new SkillLibrary({ folders: [resolve(settings.SKILLS_DIR)] })),
      given(Files, files),
      given(FileLinks, new FileLinks(settings.SEALING_KEYS)),
      given(Tickets, tickets),
      given(TraceStore, traces),
      given(Probe, probe),
      given(ApiKeys, new ApiKeys(database, directory)),
      given(Cursors, new Cursors(sealingKey.key)),
    ],
  })
  class GatewayModule {}

  const app = await NestFactory.create<NestFastifyApplication>(GatewayModule, adapter, { logger: nestLogger(log), bodyParser: false });
  app.useGlobalFilters(new ProblemFilter(log));
  installJsonBody(fastify, (request) => bodyLimitOf(request, catalog));
  await app.init();
  routes.answerOtherMethods(fastify);
  await app.listen(settings.PORT, settings.HOST);
  const metricsServer = settings.METRICS_PORT ? serveMetrics(settings.METRICS_PORT, settings.HOST) : null;

  shutDownOnSignal({
    log,
    deadlineMs: settings.DRAIN_MS + 5_000,
    steps: [
      ['readiness', () => void (probe.stopping = true)],
      // Balancers and clients learn of it while everything is still answered.
      ['notice', () => setTimeout(Math.min(noticeMs, settings.DRAIN_MS / 4))],
      // Readers of streams come back to another gateway, with their last id.
      ['streams', () => streams.closeAll()],
      ['mcp', () => mcp.close()],
      ['http', () => app.close()],
      ['metrics', () => void metricsServer?.close()],
      ['followers', () => followers.stop()],
      ['outside tools', () => outside.stop()],
      ['database', () => database.$disconnect()],
      ['traces', () => spanSink.flush()],
      ['redis', () => [redis, subscriber].forEach((client) => client.disconnect())],
    ],
  });

  await followers.start(keys, Object.keys(domains));
  await outside.start();
  log.info({ event: 'ready', address: await app.getUrl(), tools: catalog.names(), node: process.version }, 'gateway ready');
}

/** An object that is made here, for controllers to ask for by its class. */
function given<T>(token: Type<T>, value: T): Provider<T> {
  return { provide: token, useValue: value };
}

import 'reflect-metadata';
import cors from '@fastify/cors';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { principal } from '#lib/contracts';
import { createLogger, nestLogger, releaseMemoryOfStart, shutDownOnSignal, tracePrefix } from '#lib/platform';
import { installBullBoard } from './operations/bull-board.js';
import { Readiness } from './operations/readiness.js';
import { Allowances } from './callers/allowances.js';
import { installAuthentication } from './callers/authentication.js';
import { installSets } from './callers/caller-in-set.js';
import { RepeatedCalls } from './calls/repeated-calls.js';
import { ToolDirectory } from './calls/tool-directory.js';
import { ToolsetDirectory } from './rules/toolset-directory.js';
import { Authenticator } from './callers/authenticator.js';
import { OpenRequests } from './callers/open-requests.js';
import { installAddressAllowances, installCredentialAllowances } from './callers/request-allowances.js';
import { Tickets } from './callers/tickets.js';
import { installConsole } from './pages/console-pages.js';
import { installDocs } from './pages/docs-pages.js';
import { installEdge } from './doors/edge/edge.js';
import type { GatewayDefinition } from './gateway-definition.js';
import { GatewayModule } from './gateway.module.js';
import { installAnswersOfATurn } from './http/answers-of-a-turn.js';
import { installAudit } from './records/audit.js';
import { bodyLimitOf } from './doors/body-limit.js';
import { installCrossSiteGuard } from './http/cross-site-guard.js';
import { createFastifyAdapter } from './http/fastify-adapter.js';
import { installJsonBody } from './http/json-body.js';
import { installStreamedBody } from './http/streamed-body.js';
import { installParameterGuard } from './http/parameter-guard.js';
import { installHttpMetrics } from './http/http-metrics.js';
import { installRequestFacts } from './http/request-facts.js';
import { RouteTable } from './http/route-table.js';
import { installSecurityHeaders } from './http/security-headers.js';
import { installUnreadBodies } from './http/unread-body.js';
import { answerErrors, ignoreExpectations, refuseTunnels, requireHost } from './http/unreadable-request.js';
import { Stores } from './stores.js';
import { installOriginGuard } from './http/origin-guard.js';
import { ProtectedResource } from './callers/protected-resource.js';

/** Time for what follows the drain: spans, connections. */
const closingMs = 5_000;

/** The Nest application of a gateway, with all its routes, not yet listening. */
export async function createGateway(definition: GatewayDefinition): Promise<NestFastifyApplication> {
  const { settings, log } = definition;
  const app = await NestFactory.create<NestFastifyApplication>(
    GatewayModule.register(definition),
    createFastifyAdapter(settings.TRUSTED_PROXIES, log),
    { logger: nestLogger(log), bodyParser: false, abortOnError: false },
  );
  await installHooks(app, definition);
  await app.init();
  return app;
}

/** Starts a gateway process, and ends it in order at SIGTERM. */
export async function startGateway(definition: Omit<GatewayDefinition, 'log'>): Promise<void> {
  const { settings } = definition;
  const log = createLogger('gateway', settings.LOG_LEVEL);
  const app = await createGateway({ ...definition, log });
  const deadlineMs = settings.NOTICE_MS + settings.DRAIN_MS + closingMs;
  await run(app, settings, () => shutDownOnSignal({ log, deadlineMs, steps: [['gateway', () => app.close()]] }));
  releaseMemoryOfStart();
}

/** A gateway that serves in a process which has more to do, and ends when it is closed. */
export async function runGateway(definition: GatewayDefinition): Promise<NestFastifyApplication> {
  const app = await createGateway(definition);
  await run(app, definition.settings, () => undefined);
  return app;
}

/** @param onListening called before it waits for Redis: its health is answered by then */
async function run(
  app: NestFastifyApplication,
  { PORT, HOST }: Pick<GatewayDefinition['settings'], 'PORT' | 'HOST'>,
  onListening: () => void,
): Promise<void> {
  await app.listen(PORT, HOST);
  onListening();
  // Health is answered while this waits for Redis.
  const stores = app.get(Stores);
  await stores.start();
  const tools = stores.catalog.names();
  stores.log.info({ event: 'ready', address: await app.getUrl(), tools, node: process.version }, 'gateway ready');
}

/** What has to happen before a body is read, or to requests that reach no handler of Nest. In the order in which it happens. */
async function installHooks(app: NestFastifyApplication, definition: GatewayDefinition): Promise<void> {
  const fastify = app.getHttpAdapter().getInstance();
  const stores = app.get(Stores);
  const { settings, traces, servedDirectory, metrics, log } = stores;
  const readiness = app.get(Readiness);
  const routes = app.get(RouteTable);
  routes.install(fastify);
  installRequestFacts(
    fastify,
    (caller, outward, w3cTraceId) => void traces.alias(principal(caller), outward, tracePrefix(w3cTraceId)).catch(() => undefined),
  );
  installHttpMetrics(fastify, metrics);
  ignoreExpectations(fastify);
  refuseTunnels(fastify);
  requireHost(fastify, log);
  answerErrors(fastify, log);
  installSecurityHeaders(fastify, { isProduction: settings.NODE_ENV === 'production' });
  await fastify.register(cors, {
    origin: settings.CORS_ORIGINS.length > 0 ? settings.CORS_ORIGINS : false,
    exposedHeaders: ['X-Trace-Id', 'X-Conversation-Id', 'Location', 'Retry-After', 'Idempotent-Replayed'],
  });
  fastify.addHook('onSend', (...[, reply, , done]) => {
    if (readiness.isStopping) void reply.header('connection', 'close');
    done();
  });
  installUnreadBodies(fastify);
  installOriginGuard(fastify, settings);
  installCrossSiteGuard(fastify, { origins: [...settings.CORS_ORIGINS, settings.PUBLIC_URL ?? []].flat(), log });
  const allowances = {
    credentials: new Allowances({ perSecond: settings.REQUESTS_PER_CREDENTIAL, whose: 'this credential', metrics }),
    addresses: new Allowances({ perSecond: settings.REQUESTS_PER_ADDRESS, whose: 'this address', metrics }),
  };
  installAddressAllowances(fastify, allowances, log);
  installAuthentication(fastify, {
    authenticator: app.get(Authenticator),
    tickets: app.get(Tickets),
    openRequests: app.get(OpenRequests),
    resource: app.get(ProtectedResource),
    metrics,
    log,
  });
  installCredentialAllowances(fastify, allowances, log);
  fastify.addHook('onRequest', ({ facts: { caller } }, _reply, done) => {
    if (!caller || servedDirectory.isPrepared(caller.tenantId)) return done();
    servedDirectory.prepare(caller.tenantId).then(() => done(), done);
  });
  installSets(fastify, app.get(ToolsetDirectory));
  installAudit(fastify, log);
  installParameterGuard(fastify, log);
  routes.refuseOtherMethods(fastify);
  const tools = app.get(ToolDirectory);
  installJsonBody(fastify, (request) => bodyLimitOf(request, tools));
  installStreamedBody(fastify);
  await installBullBoard(fastify, stores);
  await installConsole(fastify, definition.consoleDir ?? 'dist/console');
  await installDocs(fastify, definition.docsDir ?? 'dist/docs');
  installAnswersOfATurn(fastify);
  installEdge(fastify, {
    calls: app.get(RepeatedCalls),
    tools,
    authenticator: app.get(Authenticator),
    openRequests: app.get(OpenRequests),
    allowances: allowances.credentials,
    served: servedDirectory,
    readiness,
    metrics,
    log,
  });
}

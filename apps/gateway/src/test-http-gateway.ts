// The whole gateway in the process of a test, over real stores. Requests are sent as they are written: a client would tidy up their paths.
import { randomBytes } from 'node:crypto';
import { mkdtempDisposableSync } from 'node:fs';
import { Agent, request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { z } from 'zod';
import { tools } from '#lib/contracts';
import { createLogger } from '#lib/platform';
import { givenStores, letGo, newNamespace, Tenant, testRedis } from '#lib/testing';
import { gatewaySettings } from './config.js';
import { createGateway } from './create-gateway.js';
import { routeOf, type RouteFacts } from './http/route.js';
import { Stores } from './stores.js';

interface TestRequest {
  readonly method?: string;
  readonly authorization?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** What the gateway found for a request. */
interface Matched {
  /** The facts of the route, or of the path whose methods are others. */
  readonly route: RouteFacts | null;
  /** Whether the path has other methods alone. */
  readonly isRefused: boolean;
}

const unmatched: Matched = { route: null, isRefused: false };

export interface TestAnswer extends Matched {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export class TestHttpGateway implements AsyncDisposable {
  readonly app: NestFastifyApplication;
  readonly tenant: Tenant;
  /** Values of the Authorization header: of an ordinary user, and of a key with every scope. */
  readonly user: string;
  readonly admin: string;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #namespace: string;
  readonly #files: Disposable;
  #matched: Matched = unmatched;
  #port = 0;

  /** One more gateway of the same deployment, with a tenant of its own. */
  async another(): Promise<TestHttpGateway> {
    const { INVOQ_NAMESPACE, SEALING_KEYS } = this.app.get(Stores).settings;
    const keys = SEALING_KEYS.map(({ id, key }) => `${id}:${key.toString('base64')}`).join();
    return TestHttpGateway.start({ INVOQ_NAMESPACE, SEALING_KEYS: keys });
  }

  private constructor(
    app: NestFastifyApplication,
    tenant: Tenant,
    own: { user: string; admin: string; namespace: string; files: Disposable },
  ) {
    this.app = app;
    this.tenant = tenant;
    this.user = own.user;
    this.admin = own.admin;
    this.#namespace = own.namespace;
    this.#files = own.files;
    app
      .getHttpAdapter()
      .getInstance()
      .addHook(
        'onSend',
        async (request) => void (this.#matched = { route: routeOf(request), isRefused: request.otherMethods !== undefined }),
      );
  }

  /** @param env settings besides those that every gateway needs */
  static async start(env: Readonly<Record<string, string>> = {}): Promise<TestHttpGateway> {
    const { redisUrl, databaseUrl } = givenStores();
    const tenant = await Tenant.create(databaseUrl);
    const namespace = newNamespace();
    const files = mkdtempDisposableSync(join(tmpdir(), 'invoq-files-'));
    const settings = z.object(gatewaySettings).parse({
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      NOTICE_MS: '0',
      DRAIN_MS: '0',
      REDIS_URL: redisUrl,
      DATABASE_URL: databaseUrl,
      INVOQ_NAMESPACE: namespace,
      SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      FILES_DIR: files.path,
      AUTH_FAILURES_PER_MINUTE: '1000000',
      REQUESTS_PER_CREDENTIAL: '1000000',
      REQUESTS_PER_ADDRESS: '1000000',
      ...env,
    });
    // Whether or not somebody has built the documentation here.
    const docsDir = join(files.path, 'no-docs');
    const app = await createGateway({ settings, contracts: tools, log: createLogger('gateway-test', 'silent'), docsDir });
    const user = `Bearer ${await tenant.key()}`;
    const admin = `Bearer ${await tenant.key({ userId: null, tier: 'vip', scopes: ['*'] })}`;
    const gateway = new TestHttpGateway(app, tenant, { user, admin, namespace, files });
    await app.listen(0, '127.0.0.1');
    gateway.#port = Number(new URL(await app.getUrl()).port);
    await app.get(Stores).start();
    return gateway;
  }

  get port(): number {
    return this.#port;
  }

  /** Sends the request target as it is given. A body is JSON unless its headers say otherwise. */
  async send(path: string, { method = 'GET', authorization, headers = {}, body }: TestRequest = {}): Promise<TestAnswer> {
    this.#matched = unmatched;
    const { port } = this;
    const sentHeaders = {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(authorization !== undefined && { authorization }),
      ...headers,
    };
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers: sentHeaders, agent: this.#agent }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text, ...this.#matched }));
        response.on('error', reject);
      });
      sent.setTimeout(15_000, () => sent.destroy(new Error(`${method} ${path} was not answered`)));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Sends an object as JSON by POST, as the ordinary user unless told otherwise. */
  async post(path: string, body: unknown, authorization = this.user): Promise<TestAnswer> {
    return this.send(path, { method: 'POST', authorization, body: JSON.stringify(body) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#agent.destroy();
    await this.app.close();
    await this.tenant[Symbol.asyncDispose]();
    await testRedis(this.#namespace)[Symbol.asyncDispose]();
    this.#files[Symbol.dispose]();
    letGo(this, ['app', 'tenant']);
  }
}

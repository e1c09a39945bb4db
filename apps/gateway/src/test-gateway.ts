// A gateway in the process of its test, with a worker that does what the test says. For tests of doors.
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { domains, tools, type Outcome } from '#lib/contracts';
import { createLogger } from '#lib/platform';
import { givenStores, HttpCaller, letGo, newNamespace, Tenant, type KeyOptions } from '#lib/testing';
import type { CallHead, InvocationStore } from '#lib/transport';
import { gatewaySettings } from './config.js';
import { createGateway } from './create-gateway.js';
import { Stores } from './stores.js';
import { endRun } from './calls/test-calls.js';
import { testTools } from './calls/test-tools.js';
import type { McpExtension } from './doors/mcp/server.js';
import { partitionOf } from '#lib/transport';

export interface TestAttempt {
  readonly jobId: string;
  readonly head: CallHead;
  readonly attempt: number;
  readonly store: InvocationStore;
}

/** Runs one job; null leaves it open, as a slow tool does. */
type Handler = (attempt: TestAttempt) => Promise<Outcome | null> | Outcome | null;

export interface TestGatewayOptions {
  /** Of another gateway, to run beside it. Default: a new one. */
  readonly namespace?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Null where another gateway beside it has the worker. */
  readonly handler: Handler | null;
  readonly mcpExtensions?: readonly McpExtension[];
}

/** Starts a gateway of the product's tools and the test's own (`test_plain` and others) on a free port, with a tenant of its own. */
export async function startTestGateway({ namespace = newNamespace(), settings = {}, handler, mcpExtensions = [] }: TestGatewayOptions) {
  const { redisUrl, databaseUrl } = givenStores();
  const tenant = await Tenant.create(databaseUrl);
  const app = await createGateway({
    settings: z.object(gatewaySettings).parse({
      NODE_ENV: 'test',
      HOST: '127.0.0.1',
      NOTICE_MS: '0',
      DRAIN_MS: '0',
      REDIS_URL: redisUrl,
      DATABASE_URL: databaseUrl,
      INVOQ_NAMESPACE: namespace,
      SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      FILES_DIR: tmpdir(),
      ...settings,
    }),
    contracts: [...tools, ...testTools],
    mcpExtensions,
    log: createLogger('test-gateway', 'silent'),
  });
  await app.listen(0, '127.0.0.1');
  const stores = app.get(Stores);
  await stores.start();
  const worker = handler && new TestWorker(stores, handler);
  worker?.start();
  const url = await app.getUrl();
  const gateway = {
    url,
    app,
    tenant,
    stores,
    /** A caller with a new key of the tenant. */
    caller: async (options?: KeyOptions) => new HttpCaller(url, await gateway.tenant.key(options)),
    [Symbol.asyncDispose]: async () => {
      await worker?.stop();
      await app.close();
      await tenant[Symbol.asyncDispose]();
      letGo(gateway, ['app', 'tenant', 'stores', 'caller', Symbol.asyncDispose]);
    },
  };
  return gateway;
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

const partitions = Object.keys(domains).map((domain) => partitionOf(domain));

/** Takes up every open job of every domain once, and ends it as the handler says. */
class TestWorker {
  readonly #store: InvocationStore;
  readonly #stores: Stores;
  readonly #handler: Handler;
  readonly #taken = new Set<string>();
  readonly #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();

  constructor(stores: Stores, handler: Handler) {
    this.#stores = stores;
    this.#store = stores.store;
    this.#handler = handler;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // All at once: one by one they kept a processor busy for as long as a test waits.
      const open = await Promise.all(partitions.map((partition) => this.#store.open.until(partition, '+inf', { offset: 0, limit: 100 })));
      for (const jobId of open.flat()) {
        if (this.#taken.has(jobId)) continue;
        this.#taken.add(jobId);
        this.#work(jobId).catch((error: unknown) => {
          // A call may outlive the test, and the connections of its gateway: nobody waits for it.
          if (!this.#stopping.signal.aborted) throw error;
        });
      }
      await setTimeout(10);
    }
  }

  async #work(jobId: string): Promise<void> {
    const begun = await this.#store.begin(jobId, Date.now());
    if (begun.kind !== 'begun') return;
    const { head, attempt } = begun;
    const outcome = await this.#handler({ jobId, head, attempt, store: this.#store });
    if (outcome === null) return;
    const contract = this.#stores.catalog.find(head.tool, head.version);
    await endRun({ store: this.#store, changes: this.#stores.reports.changes }, { ...begun, jobId, contract, outcome });
  }
}

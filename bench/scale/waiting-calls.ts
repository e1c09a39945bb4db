import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { domains, type Domain } from '#lib/contracts';
import { ExpiringFiles, openDisk } from '#lib/files';
import { InvocationStore, newJobId, queuedJob, RedisKeys, requestConnection, Sealer, type CallHead, partitionOf } from '#lib/transport';

const together = 250;
export const domain: Domain = { ...domains.profile, maxOpen: 10_000_000, tenantShare: 1 };

/** Calls of a system that nobody has taken up, written as its gateways write them. */
export class WaitingCalls implements Disposable {
  readonly store: InvocationStore;
  readonly redis: ReturnType<typeof requestConnection>;
  readonly keys: RedisKeys;

  constructor({ redisUrl, namespace }: { readonly redisUrl: string; readonly namespace: string }) {
    this.redis = requestConnection({ REDIS_URL: redisUrl });
    this.keys = new RedisKeys(namespace);
    const sealer = new Sealer([{ id: 'bench', key: randomBytes(32) }]);
    this.store = new InvocationStore({
      redis: this.redis,
      keys: this.keys,
      sealer,
      files: new ExpiringFiles(() => openDisk({ FILES_DIR: '.data/bench-files', FILES_S3_REGION: 'us-east-1' })),
    });
  }

  /** @param deadline epoch ms */
  async add(count: number, deadline: number): Promise<void> {
    if (this.redis.status !== 'ready') await once(this.redis, 'ready');
    for (let done = 0; done < count; done += together)
      await Promise.all(Array.from({ length: Math.min(together, count - done) }, async (_, n) => this.#accept(done + n, deadline)));
  }

  [Symbol.dispose](): void {
    this.redis.disconnect();
  }

  async #accept(number: number, deadline: number): Promise<void> {
    const jobId = newJobId(partitionOf(domain.name));
    const head: CallHead = {
      v: 1,
      tool: 'slow_compute',
      version: '1.0.0',
      input: { seconds: 60, label: '' },
      caller: { tenantId: 'bench', userId: `user-${number % 100}`, tier: 'pro', scopes: ['tools:read'], credentialId: 'bench' },
      sessionId: null,
      traceId: 'trace_bench',
      traceparent: '',
      createdAt: Date.now(),
      validationMs: 0,
      maxAttempts: 1,
      retry: true,
      flightKey: null,
      cacheKey: null,
    };
    const accepted = await this.store.accept(domain, {
      jobId,
      head,
      deadline,
      fingerprint: '',
      idempotencyKey: null,
      readCache: false,
      job: queuedJob({ jobId, head, contract: undefined }),
    });
    if (accepted.kind !== 'created') throw new Error(`not let in: ${accepted.kind}`);
  }
}

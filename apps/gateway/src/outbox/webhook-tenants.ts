import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { Redis } from 'ioredis';
import type { RedisClient, RedisKeys } from '#lib/transport';

/** A change is told by a notice; this finds one whose notice was lost. */
const recheckMs = 5_000;

interface WebhookTenantsParts {
  /** The tenants that have webhooks. */
  readonly load: () => Promise<readonly string[]>;
  readonly redis: Pick<RedisClient, 'publish'>;
  readonly subscriber: Redis;
  readonly keys: Pick<RedisKeys, 'webhookChanges'>;
  readonly onFault: (error: unknown) => void;
}

/** Which tenants have webhooks, in every gateway alike: a call of another tenant costs a look into a set. */
export class WebhookTenants implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: WebhookTenantsParts;
  #tenants: ReadonlySet<string> = new Set();
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: WebhookTenantsParts) {
    this.#parts = parts;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { subscriber, keys } = this.#parts;
    const channel = keys.webhookChanges();
    subscriber.on('message', (from) => {
      if (from === channel) void this.refresh();
    });
    await subscriber.subscribe(channel);
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), recheckMs).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId);
  }

  /** Tells every gateway that some have changed, this one included. */
  async changed(): Promise<void> {
    const { redis, keys, onFault } = this.#parts;
    await this.refresh();
    await redis.publish(keys.webhookChanges(), '').catch(onFault);
  }

  /** Reads the store now. One read serves all who ask while it has not begun. While it is away they stay as they were. */
  async refresh(): Promise<void> {
    // A read that runs already may have missed what the asker knows of.
    await this.#reading;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    await this.#reading;
  }

  async #read(): Promise<void> {
    const { load, onFault } = this.#parts;
    await load().then((tenants) => (this.#tenants = new Set(tenants)), onFault);
  }
}

import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';
import type { RedisClient, RedisKeys } from '#lib/transport';

/** A change is told by a notice; this finds one whose notice was lost. */
const recheckMs = 5_000;

interface WebhookTenantsParts {
  /** Another with each change of them. */
  readonly mark: () => Promise<string>;
  /** Those that are not disabled. */
  readonly load: () => Promise<readonly { readonly id: string; readonly tenantId: string; readonly url: string }[]>;
  readonly redis: Pick<RedisClient, 'publish'>;
  readonly subscriber: {
    readonly on: (event: 'message', listener: (channel: string) => void) => unknown;
    readonly subscribe: (channel: string) => Promise<unknown>;
  };
  readonly keys: Pick<RedisKeys, 'changesOf'>;
  readonly onFault: (error: unknown) => void;
}

/** Which tenants have webhooks, and where, in every gateway alike: a call of another tenant costs a look into a map. */
export class WebhookTenants implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #parts: WebhookTenantsParts;
  /** By tenant a webhook of each origin. */
  #tenants: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map();
  #mark: string | null = null;
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: WebhookTenantsParts) {
    this.#parts = parts;
  }

  async onApplicationBootstrap(): Promise<void> {
    const { subscriber, keys } = this.#parts;
    const channel = keys.changesOf('webhook');
    subscriber.on('message', (from) => {
      if (from === channel) void this.refresh();
    });
    await subscriber.subscribe(channel);
    await this.refresh();
    this.#timer = setInterval(() => void this.#recheck(), recheckMs).unref();
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.#timer);
  }

  /** All of them. */
  list(): readonly string[] {
    return [...this.#tenants.keys()];
  }

  has(tenantId: string): boolean {
    return this.#tenants.has(tenantId);
  }

  /** The id of a webhook whose address has the same origin; undefined where there is none. */
  webhookAt(tenantId: string, url: string): string | undefined {
    const { origin, username, password } = new URL(url);
    return username === '' && password === '' ? this.#tenants.get(tenantId)?.get(origin) : undefined;
  }

  /** Tells every gateway that some have changed, this one included. */
  async changed(): Promise<void> {
    const { redis, keys, onFault } = this.#parts;
    await this.refresh();
    await redis.publish(keys.changesOf('webhook'), '').catch(onFault);
  }

  /** Reads the store now. One read serves all who ask while it has not begun. While it is away they stay as they were. */
  async refresh(): Promise<void> {
    // A read that runs already may have missed what the asker knows of.
    await this.#reading;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    await this.#reading;
  }

  /** Reads the store where it has changed. */
  async #recheck(): Promise<void> {
    const { mark, onFault } = this.#parts;
    const isChanged = await mark().then((now) => now !== this.#mark, onFault);
    if (isChanged) await this.refresh();
  }

  async #read(): Promise<void> {
    const { mark, load, onFault } = this.#parts;
    const read = async () => {
      // Before: what changes while it is read is read again.
      const before = await mark();
      return { before, webhooks: await load() };
    };
    await read().then(({ before, webhooks }) => {
      this.#mark = before;
      const ofTenants = Map.groupBy(webhooks, ({ tenantId }) => tenantId);
      this.#tenants = new Map(
        [...ofTenants].map(([tenantId, own]) => [tenantId, new Map(own.map(({ id, url }) => [new URL(url).origin, id]))]),
      );
    }, onFault);
  }
}

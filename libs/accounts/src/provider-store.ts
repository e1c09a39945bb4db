import { Refusal } from '#lib/contracts';
import { changeAs, type Database } from '#lib/platform';
import type { Sealer } from '#lib/transport';
import { knownServer, type KnownServer, type ProviderConfig } from './known-server.js';
import type { OpenServer } from './oauth-requests.js';

/** @limit a tenant: providers of accounts; QUOTA_EXCEEDED */
const mostProviders = 100;

export interface ProviderName {
  readonly tenantId: string;
  readonly name: string;
}

export type ProviderRow = NonNullable<Awaited<ReturnType<Database['provider']['findUnique']>>>;

export interface StoredProvider {
  readonly row: ProviderRow;
  readonly config: ProviderConfig;
  /** Null for one of keys. */
  readonly server: KnownServer | null;
}

/** Providers in Postgres. Rejects when it is away. */
export class ProviderStore {
  readonly #database: Pick<Database, 'provider' | 'connection' | '$transaction'>;
  readonly #sealer: Pick<Sealer, 'sealText' | 'openText'>;

  constructor(database: Pick<Database, 'provider' | 'connection' | '$transaction'>, sealer: Pick<Sealer, 'sealText' | 'openText'>) {
    this.#database = database;
    this.#sealer = sealer;
  }

  /** By name. */
  async ofTenant(tenantId: string): Promise<readonly StoredProvider[]> {
    return (await this.#database.provider.findMany({ where: { tenantId }, orderBy: { name: 'asc' } })).map(readProvider);
  }

  async find({ tenantId, name }: ProviderName): Promise<StoredProvider | null> {
    const row = await this.#database.provider.findUnique({ where: { tenantId_name: { tenantId, name } } });
    return row && readProvider(row);
  }

  /** How many accounts are connected at each provider of a tenant. */
  async counts(tenantId: string): Promise<ReadonlyMap<string, number>> {
    const groups = await this.#database.connection.groupBy({ by: ['provider'], where: { tenantId }, _count: true });
    return new Map(groups.map(({ provider, _count }) => [provider, _count]));
  }

  /** Makes one, or puts it in the place of another. Throws QUOTA_EXCEEDED. @returns whether it is new */
  async put(
    by: string,
    { tenantId, name }: ProviderName,
    { config, server, clientSecret }: Pick<StoredProvider, 'config' | 'server'> & { readonly clientSecret: string | null },
  ): Promise<boolean> {
    const data = {
      kind: server ? 'oauth2' : 'api_key',
      config: JSON.parse(JSON.stringify(config)),
      server: server ?? {},
      clientSecret: clientSecret === null ? null : this.#sealer.sealText(clientSecret, secretPurpose({ tenantId, name })),
      updatedAt: new Date(),
    };
    const where = { tenantId_name: { tenantId, name } };
    const made = await changeAs(this.#database, by, async (transaction) => {
      await transaction.$executeRaw`SELECT pg_advisory_xact_lock(hashtext(${`providers of ${tenantId}`}))`;
      const known = await transaction.provider.findUnique({ where, select: { name: true } });
      if (!known && (await transaction.provider.count({ where: { tenantId } })) >= mostProviders) return 'full';
      await transaction.provider.upsert({ where, create: { tenantId, name, ...data }, update: data });
      return known ? 'changed' : 'made';
    });
    if (made === 'full') throw full();
    return made === 'made';
  }

  /** With its connections. @returns whether there was one */
  async remove(by: string, { tenantId, name }: ProviderName): Promise<boolean> {
    const { count } = await changeAs(this.#database, by, async (transaction) =>
      transaction.provider.deleteMany({ where: { tenantId, name } }),
    );
    return count > 0;
  }

  /** Null for one of keys. A secret that no key opens is none. */
  open({ row, server }: StoredProvider): OpenServer | null {
    if (!server) return null;
    const { clientSecret: sealed } = row;
    return { server, clientSecret: sealed === null ? null : this.#opened(sealed, row) };
  }

  #opened(sealed: string, row: ProviderName): string | null {
    try {
      return this.#sealer.openText(sealed, secretPurpose(row));
    } catch {
      return null;
    }
  }
}

export function readProvider(row: ProviderRow): StoredProvider {
  // It was checked before it was stored.
  const config: ProviderConfig = JSON.parse(JSON.stringify(row.config));
  return { row, config, server: row.kind === 'api_key' ? null : knownServer.parse(row.server) };
}

/** What the sealed secret of a client is bound to. */
export function secretPurpose({ tenantId, name }: ProviderName): string {
  return `client of ${JSON.stringify([tenantId, name])}`;
}

function full(): Refusal {
  const message = `Your tenant has ${mostProviders} providers, the most that it may have; delete one first`;
  return new Refusal('QUOTA_EXCEEDED', message, { extra: { limit: mostProviders } });
}

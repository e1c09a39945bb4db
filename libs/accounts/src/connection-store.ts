import { randomUUID } from 'node:crypto';
import { changeAs, type Database } from '#lib/platform';
import type { Sealer } from '#lib/transport';
import type { KnownServer } from './known-server.js';
import { openedTokens, sealedTokens, type AccountName, type StoredTokens, type Tokens } from './tokens.js';

export type ConnectionRow = NonNullable<Awaited<ReturnType<Database['connection']['findUnique']>>>;

export interface NewTokens {
  readonly tokens: Tokens;
  /** Null for a key. */
  readonly server: KnownServer | null;
  readonly scopes: readonly string[];
}

/** How long nobody else renews tokens, in ms: longer than a request to a provider, and the write after it. */
const leaseMs = 20_000;
const mostListed = 1_000;

type Tables = Pick<Database, 'connection' | '$transaction' | '$queryRaw'>;

/** Accounts of users in Postgres, with sealed tokens. Rejects when it is away. */
export class ConnectionStore {
  readonly #database: Tables;
  readonly #sealer: Pick<Sealer, 'sealText' | 'openText'>;

  constructor(database: Tables, sealer: Pick<Sealer, 'sealText' | 'openText'>) {
    this.#database = database;
    this.#sealer = sealer;
  }

  async find({ tenantId, owner, provider }: AccountName): Promise<ConnectionRow | null> {
    return this.#database.connection.findUnique({ where: { tenantId_owner_provider: { tenantId, owner, provider } } });
  }

  async byId(tenantId: string, id: string): Promise<ConnectionRow | null> {
    return this.#database.connection.findUnique({ where: { id, tenantId } });
  }

  /** By provider and owner. @param owner null for all of the tenant */
  async list({
    tenantId,
    owner,
    provider,
  }: {
    readonly tenantId: string;
    readonly owner: string | null;
    readonly provider?: string | undefined;
  }) {
    return this.#database.connection.findMany({
      where: { tenantId, ...(owner !== null && { owner }), ...(provider !== undefined && { provider }) },
      orderBy: [{ provider: 'asc' }, { owner: 'asc' }],
      take: mostListed,
    });
  }

  /** Null where they are of a server or a client that the provider has no more, or no key opens them. */
  tokensOf(row: ConnectionRow, server: KnownServer | null): StoredTokens | null {
    return openedTokens(this.#sealer, { name: row, server, sealed: row.tokens });
  }

  /** Connects an account, or takes other tokens for one that is connected. Who renews the earlier ones at the moment stores nothing. */
  async connect(name: AccountName, { tokens, server, scopes }: NewTokens): Promise<ConnectionRow> {
    const { tenantId, owner, provider } = name;
    const now = new Date();
    const data = {
      state: 'connected',
      reason: null,
      scopes: [...scopes],
      tokens: sealedTokens(this.#sealer, { name, server, tokens }),
      expiresAt: tokens.expiresAt === null ? null : new Date(tokens.expiresAt),
      lease: null,
      leaseUntil: null,
      updatedAt: now,
    };
    return changeAs(this.#database, owner, async (transaction) =>
      transaction.connection.upsert({
        where: { tenantId_owner_provider: { tenantId, owner, provider } },
        create: { tenantId, owner, provider, createdAt: now, ...data },
        update: { ...data, revision: { increment: 1 } },
      }),
    );
  }

  /** Takes the right to renew these tokens. Null while somebody else has it, or has renewed them. */
  async lease({ id, revision }: Pick<ConnectionRow, 'id' | 'revision'>): Promise<string | null> {
    const lease = randomUUID();
    const rows = await this.#database.$queryRaw<object[]>`
      UPDATE connection SET lease = ${lease}::uuid, lease_until = clock_timestamp() + make_interval(secs => ${leaseMs / 1_000}::float8)
      WHERE id = ${id}::uuid AND revision = ${revision} AND (lease_until IS NULL OR lease_until < clock_timestamp())
      RETURNING 1`;
    return rows.length > 0 ? lease : null;
  }

  async release(id: string, lease: string): Promise<void> {
    await this.#database.connection.updateMany({ where: { id, lease }, data: { lease: null, leaseUntil: null } });
  }

  /** Stores renewed tokens. @returns false where the account was deleted or connected anew meanwhile, or somebody else renews it */
  async renewed(row: ConnectionRow, lease: string, { tokens, server }: Omit<NewTokens, 'scopes'>): Promise<boolean> {
    const { count } = await this.#database.connection.updateMany({
      where: { id: row.id, lease },
      data: {
        tokens: sealedTokens(this.#sealer, { name: row, server, tokens }),
        expiresAt: tokens.expiresAt === null ? null : new Date(tokens.expiresAt),
        ...(tokens.scopes !== null && { scopes: [...tokens.scopes] }),
        revision: { increment: 1 },
        lease: null,
        leaseUntil: null,
        updatedAt: new Date(),
      },
    });
    return count > 0;
  }

  /** Says that an account has to be connected again. @returns false where its tokens are others by now, it is gone, or that was said before */
  async lost({ id, revision }: Pick<ConnectionRow, 'id' | 'revision'>, reason: string): Promise<boolean> {
    const { count } = await this.#database.connection.updateMany({
      where: { id, revision, state: 'connected' },
      data: { state: 'reconnect', reason, lease: null, leaseUntil: null, updatedAt: new Date() },
    });
    return count > 0;
  }

  /** @returns whether there was one */
  async remove(by: string, { id }: Pick<ConnectionRow, 'id'>): Promise<boolean> {
    const { count } = await changeAs(this.#database, by, async (transaction) => transaction.connection.deleteMany({ where: { id } }));
    return count > 0;
  }
}

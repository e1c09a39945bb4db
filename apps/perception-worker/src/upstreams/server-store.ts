import { z } from 'zod';
import {
  credentialsOfSealed,
  headersOfSealed,
  outsideServer,
  outsideServerId,
  sealedHeadersPurpose,
  type OutsideServer,
  type OutsideTool,
} from '#lib/contracts';
import { changeAs, type AuditedDatabase, type Database } from '#lib/platform';
import { offersNotice, openedNotice, updatedNotice, type RedisKeys, type Sealer, type RedisClient, serverRows } from '#lib/transport';
import { Announcements } from './announcements.js';

const headers = z.record(z.string(), z.string());

/** How long a server that was read is reused without reading it again. */
const cacheMs = 1_000;
/** When changes are told: whoever listens reads the lists, or the resource, again. In ms. */
const announced = {
  offers: { firstMs: 500, everyMs: 5_000 },
  updates: { firstMs: 100, everyMs: 1_000 },
  opened: { firstMs: 0, everyMs: 1_000 },
} as const;

interface ServerStoreParts {
  readonly database: AuditedDatabase<'mcpServer'> & Pick<Database, '$queryRaw'>;
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
}

/** Whose server, and its name there. */
export type ServerName = Pick<OutsideServer, 'tenantId' | 'name'>;

/** Why a tool is not called any more, and how its server defines it now, where it still does. */
export interface Suspension {
  readonly reason: string;
  readonly offered?: OutsideTool;
}

/** What the own servers of one tenant may be, so that it does not slow the others: every process reads the definitions of all. */
const mostOfTenant = { servers: 50, definitionBytes: 8 * 1024 * 1024 };

/** A tenant has as many servers, or as large definitions, as it may. The message says what to do. */
export class TenantIsFull extends Error {
  override readonly name = 'TenantIsFull';
}

/** Approved servers in Postgres, and the notices by which other processes learn of changes. */
export class ServerStore {
  readonly #parts: ServerStoreParts;
  readonly #offers: Announcements;
  readonly #updates: Announcements;
  readonly #opened: Announcements;
  readonly #cache = new Map<string, { readonly server: OutsideServer | null; readonly at: number }>();

  constructor(parts: ServerStoreParts) {
    this.#parts = parts;
    const { redis, keys } = parts;
    const publish = async (notice: string): Promise<unknown> => redis.publish(keys.changesOf('outside'), notice);
    this.#offers = new Announcements({ ...announced.offers, send: async (id) => publish(offersNotice(id)) });
    this.#updates = new Announcements({ ...announced.updates, send: publish });
    this.#opened = new Announcements({ ...announced.opened, send: publish });
  }

  /** Finds a server. @param approval the approval that the caller knows of; an older cached one is read again */
  async find(server: ServerName, approval: number): Promise<OutsideServer | null> {
    const id = outsideServerId(server);
    const known = this.#cache.get(id);
    if (known && Date.now() - known.at < cacheMs && (known.server?.approval ?? 0) >= approval) return known.server;
    const [row] = await serverRows(this.#parts.database.$queryRaw`SELECT * FROM mcp_server WHERE name = ${id}`);
    const found = row ? outsideServer.parse(row) : null;
    this.#cache.set(id, { server: found, at: Date.now() });
    return found;
  }

  /** The header values of a server, decrypted. They can be opened only for the tenant and the name that they were sealed for. */
  headersOf(server: ServerName & Pick<OutsideServer, 'headers'>): Readonly<Record<string, string>> {
    return headersOfSealed(this.#sealedOf(server));
  }

  /** Its credentials by the schemes of its OpenAPI document, decrypted in the same way. */
  credentialsOf(server: ServerName & Pick<OutsideServer, 'headers'>): Readonly<Record<string, string>> {
    return credentialsOfSealed(this.#sealedOf(server));
  }

  #sealedOf(server: ServerName & Pick<OutsideServer, 'headers'>): Readonly<Record<string, string>> {
    const { headers: sealed } = server;
    return sealed === null ? {} : headers.parse(JSON.parse(this.#parts.sealer.openText(sealed, sealedHeadersPurpose(server))));
  }

  /** Whether a server for all has this name. */
  async isForAll(name: string): Promise<boolean> {
    const found: readonly unknown[] = await this.#parts.database.$queryRaw`
      SELECT name FROM mcp_server WHERE name = ${outsideServerId({ tenantId: null, name })}`;
    return found.length > 0;
  }

  /**
   * Seals the headers of every server with the first sealing key, so that an older key can be removed. Headers that no key opens are left.
   * @returns the names of the servers whose headers were sealed again, and of those whose headers no key opens
   */
  async resealHeaders(): Promise<{ readonly resealed: readonly string[]; readonly unreadable: readonly string[] }> {
    const rows = await serverRows(this.#parts.database.$queryRaw`SELECT * FROM mcp_server WHERE headers IS NOT NULL ORDER BY name`);
    const resealed: string[] = [];
    const unreadable: string[] = [];
    for (const row of rows) {
      const server = outsideServer.parse(row);
      const { headers: sealed } = server;
      const id = outsideServerId(server);
      const fresh = this.#resealed(server);
      if (fresh === null) unreadable.push(id);
      else if (fresh !== sealed) {
        // Unless the server was registered with other headers meanwhile.
        const { count } = await this.#parts.database.mcpServer.updateMany({ where: { id, headers: sealed }, data: { headers: fresh } });
        if (count > 0) resealed.push(id);
      }
    }
    return { resealed, unreadable };
  }

  #resealed(server: OutsideServer): string | null {
    try {
      return server.headers && this.#parts.sealer.resealText(server.headers, sealedHeadersPurpose(server));
    } catch {
      return null;
    }
  }

  /** Stores a server as approved by a caller. @returns its approval number, from 1. Throws TenantIsFull. */
  async approve(server: Omit<OutsideServer, 'approval'>, approvedBy: string): Promise<number> {
    const {
      tenantId,
      kind,
      url,
      stdio,
      headers: sealed,
      openapi,
      connection,
      mayAsk,
      apps,
      timeoutMs,
      cacheTtlSeconds,
      tools,
      rejected,
    } = server;
    const id = outsideServerId(server);
    const approval = await changeAs(this.#parts.database, approvedBy, async (transaction) => {
      if (tenantId !== null) await requireRoom(transaction, server);
      const [row] = await transaction.$queryRaw<{ readonly approval: number }[]>`
        INSERT INTO mcp_server AS s (name, tenant_id, kind, url, stdio, headers, openapi, connection, may_ask, apps, timeout_ms,
          cache_ttl_seconds, tools, rejected, approval, approved_by, approved_at)
        VALUES (${id}, ${tenantId}, ${kind}, ${url}, ${stdio}, ${sealed}, ${jsonOf(openapi)}::jsonb, ${jsonOf(connection)}::jsonb,
          ${jsonOf(mayAsk)}::jsonb, ${jsonOf(apps)}::jsonb, ${timeoutMs}::int, ${cacheTtlSeconds}::int, ${jsonOf(tools)}::json, ${jsonOf(rejected)}::jsonb, 1, ${approvedBy}, ${new Date()})
        ON CONFLICT (name) DO UPDATE SET tenant_id = excluded.tenant_id, kind = excluded.kind, url = excluded.url, stdio = excluded.stdio,
          headers = excluded.headers, openapi = excluded.openapi, connection = excluded.connection, may_ask = excluded.may_ask, apps = excluded.apps,
          timeout_ms = excluded.timeout_ms,
          cache_ttl_seconds = excluded.cache_ttl_seconds, tools = excluded.tools, rejected = excluded.rejected,
          approval = s.approval + 1, approved_by = excluded.approved_by, approved_at = excluded.approved_at
        RETURNING approval`;
      return row?.approval ?? 1;
    });
    await this.#changed(id);
    return approval;
  }

  /** Suspends tools, unless the server was approved again meanwhile. */
  async suspend(server: OutsideServer, suspensions: ReadonlyMap<string, Suspension>): Promise<void> {
    const { approval } = server;
    const id = outsideServerId(server);
    const tools = server.tools.map((tool) => {
      const suspension = suspensions.get(tool.name);
      if (!suspension || tool.suspended !== undefined) return tool;
      return { ...tool, suspended: suspension.reason, offered: suspension.offered };
    });
    await this.#parts.database.mcpServer.updateMany({ where: { id, approval }, data: { tools: JSON.parse(JSON.stringify(tools)) } });
    await this.#changed(id);
  }

  /** Tells gateways soon that a server has other resources or prompts. */
  offersChanged(server: ServerName): void {
    this.#offers.changed(outsideServerId(server));
  }

  /** The same of one resource that has changed, by its own address. @param owner whose account heard it, and who alone is told */
  resourceUpdated(server: ServerName, uri: string, owner?: string): void {
    this.#updates.changed(updatedNotice(outsideServerId(server), uri, owner));
  }

  /** The same of an address at which a person is done, by its server's name for it. */
  addressOpened(server: ServerName, elicitationId: string): void {
    this.#opened.changed(openedNotice(outsideServerId(server), elicitationId));
  }

  async #changed(id: string): Promise<void> {
    this.#cache.delete(id);
    // The notice only speeds things up: every process also reads the database.
    await this.#parts.redis.publish(this.#parts.keys.changesOf('outside'), id).catch(() => undefined);
  }
}

function jsonOf(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value);
}

/** Throws TenantIsFull. Two registrations of one tenant at the same time are counted one after the other. */
async function requireRoom(
  transaction: Pick<Database, '$queryRaw'>,
  server: Pick<OutsideServer, 'tenantId' | 'name' | 'tools'>,
): Promise<void> {
  await transaction.$queryRaw`SELECT pg_advisory_xact_lock(hashtext(${`mcp_server of ${server.tenantId}`}))::text`;
  const [others = { count: 0, bytes: 0 }] = await transaction.$queryRaw<{ count: number; bytes: number }[]>`
    SELECT count(*)::int AS count, coalesce(sum(octet_length(tools::text)), 0)::float8 AS bytes
    FROM mcp_server WHERE tenant_id = ${server.tenantId} AND name <> ${outsideServerId(server)}`;
  if (others.count >= mostOfTenant.servers)
    throw new TenantIsFull(`Your tenant has ${others.count} servers, which is the most; remove one that GET /mcp/servers shows`);
  const bytes = others.bytes + Buffer.byteLength(JSON.stringify(server.tools));
  if (bytes > mostOfTenant.definitionBytes)
    throw new TenantIsFull(
      `The tools of your tenant's servers would have ${bytes} bytes, and ${mostOfTenant.definitionBytes} is the most; name fewer in 'tools'`,
    );
}

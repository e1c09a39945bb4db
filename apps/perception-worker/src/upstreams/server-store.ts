import { z } from 'zod';
import { outsideServer, type OutsideServer, type OutsideTool } from '#lib/contracts';
import { changeAs, type AuditedDatabase } from '#lib/platform';
import type { RedisKeys, Sealer, RedisClient } from '#lib/transport';

const headers = z.record(z.string(), z.string());

/** How long a server that was read is reused without reading it again. */
const cacheMs = 1_000;

interface ServerStoreParts {
  readonly database: AuditedDatabase<'mcpServer'>;
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
}

/** Why a tool is not called any more, and how its server defines it now, where it still does. */
export interface Suspension {
  readonly reason: string;
  readonly offered?: OutsideTool;
}

/** Approved servers in Postgres, and the notices by which other processes learn of changes. */
export class ServerStore {
  readonly #parts: ServerStoreParts;
  readonly #cache = new Map<string, { readonly server: OutsideServer | null; readonly at: number }>();

  constructor(parts: ServerStoreParts) {
    this.#parts = parts;
  }

  /** Finds a server. @param approval the approval that the caller knows of; an older cached one is read again */
  async find(name: string, approval: number): Promise<OutsideServer | null> {
    const known = this.#cache.get(name);
    if (known && Date.now() - known.at < cacheMs && (known.server?.approval ?? 0) >= approval) return known.server;
    const row = await this.#parts.database.mcpServer.findUnique({ where: { name } });
    const server = row && outsideServer.parse(row);
    this.#cache.set(name, { server, at: Date.now() });
    return server;
  }

  /** The header values of a server, decrypted. They can be opened only for the name that they were sealed for. */
  headersOf({ name, headers: sealed }: Pick<OutsideServer, 'name' | 'headers'>): Readonly<Record<string, string>> {
    return sealed === null ? {} : headers.parse(JSON.parse(this.#parts.sealer.openText(sealed, purposeOf(name))));
  }

  /**
   * Seals the headers of every server with the first sealing key, so that an older key can be removed. Headers that no key opens are left.
   * @returns the names of the servers whose headers were sealed again, and of those whose headers no key opens
   */
  async resealHeaders(): Promise<{ readonly resealed: readonly string[]; readonly unreadable: readonly string[] }> {
    const rows = await this.#parts.database.mcpServer.findMany({
      where: { headers: { not: null } },
      select: { name: true, headers: true },
      orderBy: { name: 'asc' },
    });
    const resealed: string[] = [];
    const unreadable: string[] = [];
    for (const { name, headers: sealed } of rows) {
      const fresh = this.#resealed(name, sealed);
      if (fresh === null) unreadable.push(name);
      else if (fresh !== sealed) {
        // Unless the server was registered with other headers meanwhile.
        const { count } = await this.#parts.database.mcpServer.updateMany({ where: { name, headers: sealed }, data: { headers: fresh } });
        if (count > 0) resealed.push(name);
      }
    }
    return { resealed, unreadable };
  }

  #resealed(name: string, sealed: string | null): string | null {
    try {
      return sealed && this.#parts.sealer.resealText(sealed, purposeOf(name));
    } catch {
      return null;
    }
  }

  /** Stores a server as approved by a caller. @returns its approval number, from 1 */
  async approve(server: Omit<OutsideServer, 'approval'>, approvedBy: string): Promise<number> {
    const { name, tools, ...rest } = server;
    const data = { ...rest, tools: JSON.parse(JSON.stringify(tools)), approvedBy, approvedAt: new Date() };
    const { database } = this.#parts;
    const { approval } = await changeAs(database, approvedBy, async (transaction) =>
      transaction.mcpServer.upsert({
        where: { name },
        create: { name, ...data, approval: 1 },
        update: { ...data, approval: { increment: 1 } },
      }),
    );
    await this.#changed(name);
    return approval;
  }

  /** Suspends tools, unless the server was approved again meanwhile. */
  async suspend(server: OutsideServer, suspensions: ReadonlyMap<string, Suspension>): Promise<void> {
    const { name, approval } = server;
    const tools = server.tools.map((tool) => {
      const suspension = suspensions.get(tool.name);
      if (!suspension || tool.suspended !== undefined) return tool;
      return { ...tool, suspended: suspension.reason, offered: suspension.offered };
    });
    await this.#parts.database.mcpServer.updateMany({ where: { name, approval }, data: { tools: JSON.parse(JSON.stringify(tools)) } });
    await this.#changed(name);
  }

  async #changed(name: string): Promise<void> {
    this.#cache.delete(name);
    // The notice only speeds things up: every process also reads the database.
    await this.#parts.redis.publish(this.#parts.keys.outsideChanges(), name).catch(() => undefined);
  }
}

/** Headers open only for the name that they were sealed for. The gateway, which seals them, uses the same text. */
function purposeOf(name: string): string {
  return `mcp-server ${name}`;
}

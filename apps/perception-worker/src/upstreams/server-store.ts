import { z } from 'zod';
import type { Redis } from 'ioredis';
import { outsideServer, type OutsideServer } from '#lib/contracts';
import type { Database } from '#lib/platform';
import type { RedisKeys, Sealer } from '#lib/transport';

const headers = z.record(z.string(), z.string());

/** How long a server that was read is reused without reading it again. */
const cacheMs = 1_000;

interface ServerStoreParts {
  readonly database: Pick<Database, 'mcpServer'>;
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
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
    return sealed === null ? {} : headers.parse(JSON.parse(this.#parts.sealer.openText(sealed, `mcp-server ${name}`)));
  }

  /** Stores a server as approved by a caller. @returns its approval number, from 1 */
  async approve(server: Omit<OutsideServer, 'approval'>, approvedBy: string): Promise<number> {
    const { name, tools, ...rest } = server;
    const data = { ...rest, tools: JSON.parse(JSON.stringify(tools)), approvedBy, approvedAt: new Date() };
    const { approval } = await this.#parts.database.mcpServer.upsert({
      where: { name },
      create: { name, ...data, approval: 1 },
      update: { ...data, approval: { increment: 1 } },
    });
    await this.#changed(name);
    return approval;
  }

  /** Suspends tools, unless the server was approved again meanwhile. */
  async suspend(server: OutsideServer, reasons: ReadonlyMap<string, string>): Promise<void> {
    const { name, approval } = server;
    const tools = server.tools.map((tool) => ({ ...tool, suspended: tool.suspended ?? reasons.get(tool.name) }));
    await this.#parts.database.mcpServer.updateMany({ where: { name, approval }, data: { tools: JSON.parse(JSON.stringify(tools)) } });
    await this.#changed(name);
  }

  async #changed(name: string): Promise<void> {
    this.#cache.delete(name);
    // The notice only speeds things up: every process also reads the database.
    await this.#parts.redis.publish(this.#parts.keys.outsideChanges(), name).catch(() => undefined);
  }
}

import { outsideName, outsideServer, outsideTool, Refusal } from '#lib/contracts';
import { changeAs, type AuditedDatabase, type Database } from '#lib/platform';
import type { RedisKeys, OutsideTools, Sealer, RedisClient } from '#lib/transport';
import { stored } from '../http/stored.js';

const unreachable = 'The server store cannot be reached at the moment';

interface McpServersParts {
  readonly database: AuditedDatabase<'mcpServer'>;
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly outside: OutsideTools;
  readonly sealer: Sealer;
}

type Row = NonNullable<Awaited<ReturnType<Database['mcpServer']['findUnique']>>>;

/** The stored outside servers, for administrators. They are written by the worker that has spoken to them. */
export class McpServers {
  readonly #parts: McpServersParts;

  constructor(parts: McpServersParts) {
    this.#parts = parts;
  }

  async all(): Promise<readonly Row[]> {
    return stored(unreachable, () => this.#parts.database.mcpServer.findMany({ orderBy: { name: 'asc' } }));
  }

  /** Throws RESOURCE_NOT_FOUND. */
  async one(name: string): Promise<Row> {
    const row = await stored(unreachable, () => this.#parts.database.mcpServer.findUnique({ where: { name } }));
    if (!row) throw new Refusal('RESOURCE_NOT_FOUND', `There is no server '${name.slice(0, 64)}'; see GET /mcp/servers`);
    return row;
  }

  /** From now on its tools are unknown everywhere. */
  async remove(name: string, removedBy: string): Promise<Row> {
    const row = await this.one(name);
    const { database } = this.#parts;
    await stored(unreachable, () =>
      changeAs(database, removedBy, async (transaction) => transaction.mcpServer.deleteMany({ where: { name } })),
    );
    await this.#parts.redis.publish(this.#parts.keys.outsideChanges(), name);
    await this.#parts.outside.refresh();
    return row;
  }

  /** Reads what a worker has just stored, so that this gateway serves it with its answer. */
  async refresh(): Promise<void> {
    await this.#parts.outside.refresh();
  }

  /** Header values as they are stored and sent on: no log, queue or database holds them in clear. */
  seal(name: string, headers: Readonly<Record<string, string>>): string {
    return this.#parts.sealer.sealText(JSON.stringify(headers), `mcp-server ${name}`);
  }
}

/** What is told of a server; its headers never are. */
export function shownServer(row: Row) {
  const { name, kind, url, stdio, headers, approval, timeoutMs, cacheTtlSeconds, tools } = outsideServer.parse(row);
  return {
    name,
    kind,
    ...(url !== null && { url }),
    ...(stdio !== null && { stdio }),
    has_headers: headers !== null,
    approval,
    approved_by: row.approvedBy,
    approved_at: row.approvedAt.toISOString(),
    timeout_ms: timeoutMs,
    cache_ttl: cacheTtlSeconds,
    tools: tools.map((tool) => ({
      name: outsideName(name, tool.name),
      tool: tool.name,
      title: tool.title ?? tool.name,
      state: tool.suspended === undefined ? 'served' : 'suspended',
      ...(tool.suspended !== undefined && { reason: tool.suspended }),
    })),
  };
}

/** The same, with each tool as it was approved, and a suspended one as its server defined it then. */
export function shownWithDefinitions(row: Row): object {
  const { tools } = outsideServer.parse(row);
  const definitions = tools.map((tool) => ({ definition: outsideTool.parse(tool), ...(tool.offered && { offered: tool.offered }) }));
  const shown = shownServer(row);
  return { ...shown, tools: shown.tools.map((tool, index) => ({ ...tool, ...definitions[index] })) };
}

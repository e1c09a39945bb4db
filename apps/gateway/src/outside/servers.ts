import { Injectable } from '@nestjs/common';
import {
  outsideName,
  outsideServer,
  outsideServerId,
  outsideTool,
  Refusal,
  sealedHeadersPurpose,
  type OutsideServer,
} from '#lib/contracts';
import { changeAs, type Database } from '#lib/platform';
import { stored } from '../http/stored.js';
import { Stores } from '../stores.js';

const unreachable = 'The server store cannot be reached at the moment';

type ServerName = Pick<OutsideServer, 'tenantId' | 'name'>;
export type ServerRow = NonNullable<Awaited<ReturnType<Database['mcpServer']['findUnique']>>>;

/** The stored outside servers, for administrators. They are written by the worker that has spoken to them. */
@Injectable()
export class McpServers {
  constructor(private readonly stores: Stores) {}

  /** Those of one tenant, of no tenant (null: for all), or without `tenantId` of every one. */
  async all(tenantId?: string | null): Promise<readonly ServerRow[]> {
    const where = tenantId === undefined ? {} : { tenantId };
    return stored(unreachable, () => this.stores.database.mcpServer.findMany({ where, orderBy: { id: 'asc' } }));
  }

  async find(server: ServerName): Promise<ServerRow | null> {
    const row = await stored(unreachable, () => this.stores.database.mcpServer.findUnique({ where: { id: outsideServerId(server) } }));
    // A name from outside may hold a stroke.
    return row?.tenantId === server.tenantId ? row : null;
  }

  /** Throws RESOURCE_NOT_FOUND. */
  async one(server: ServerName): Promise<ServerRow> {
    const row = await this.find(server);
    if (row) return row;
    throw new Refusal('RESOURCE_NOT_FOUND', `There is no server '${server.name.slice(0, 64)}'; see GET /mcp/servers`);
  }

  /** From now on its tools are unknown everywhere. */
  async remove(row: ServerRow, removedBy: string): Promise<ServerRow> {
    const { database } = this.stores;
    const where = { id: row.id };
    await stored(unreachable, () => changeAs(database, removedBy, async (transaction) => transaction.mcpServer.deleteMany({ where })));
    await this.stores.redis.publish(this.stores.keys.changesOf('outside'), row.id);
    await this.stores.outside.refresh();
    return row;
  }

  /** Reads what a worker has just stored, so that this gateway serves it with its answer. */
  async refresh(): Promise<void> {
    await this.stores.outside.refresh();
  }

  /** Values of headers and credentials as they are stored and sent on: no log, queue or database holds them in clear. */
  seal(server: ServerName, values: Readonly<Record<string, string>>): string {
    return this.stores.sealer.sealText(JSON.stringify(values), sealedHeadersPurpose(server));
  }
}

/** What is told of a server; its headers never are. */
export function shownServer(row: ServerRow) {
  const {
    tenantId,
    name,
    kind,
    url,
    stdio,
    headers,
    openapi,
    connection,
    mayAsk,
    apps,
    approval,
    timeoutMs,
    cacheTtlSeconds,
    tools,
    rejected,
  } = outsideServer.parse(row);
  return {
    name,
    /** Null for a server for all tenants. */
    tenant_id: tenantId,
    kind,
    ...(url !== null && { url }),
    ...(stdio !== null && { stdio }),
    has_headers: headers !== null,
    /** The provider whose accounts of callers it is called with; null for none. */
    connection,
    /** What it may ask of its callers' clients, besides forms. */
    may_ask: mayAsk,
    /** What the pages of its tools may load and use. */
    apps,
    ...(openapi && {
      base_url: openapi.baseUrl,
      ...(openapi.include && { include: openapi.include }),
      ...(openapi.exclude && { exclude: openapi.exclude }),
      operations: openapi.operations,
    }),
    approval,
    approved_by: row.approvedBy,
    approved_at: row.approvedAt.toISOString(),
    timeout_ms: timeoutMs,
    cache_ttl: cacheTtlSeconds,
    tools: [
      ...tools.map((tool) => ({
        name: tool.name,
        offered_as: tool.offeredAs ?? outsideName(name, tool.name),
        tool: tool.name,
        title: tool.title ?? tool.name,
        ...stateOf(tool),
      })),
      ...rejected.map(({ tool, reason }) => ({ name: tool, offered_as: null, tool, title: tool, state: 'rejected', reason })),
    ],
  };
}

/** A tool that is served may have a reason too: what of its definition is not checked here. */
function stateOf({ suspended, note }: OutsideServer['tools'][number]): { readonly state: string; readonly reason?: string } {
  if (suspended !== undefined) return { state: 'suspended', reason: suspended };
  return { state: 'served', ...(note !== undefined && { reason: note }) };
}

/** The same, with each tool as it was approved, and a suspended one as its server defined it then. */
export function shownWithDefinitions(row: ServerRow): object {
  const { tools } = outsideServer.parse(row);
  const definitions = tools.map((tool) => ({ definition: outsideTool.parse(tool), ...(tool.offered && { offered: tool.offered }) }));
  const shown = shownServer(row);
  return { ...shown, tools: shown.tools.map((tool, index) => ({ ...tool, ...definitions[index] })) };
}

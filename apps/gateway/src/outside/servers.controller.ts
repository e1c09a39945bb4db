import { Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  appRules,
  connectionNeed,
  givenQueries,
  hasScope,
  principal,
  Refusal,
  relayedAsk,
  tenantIdSchema,
  toJsonSchema,
  valuesToSeal,
} from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { requireOperator, requireTenant } from '../http/tenant-rights.js';
import { disconnected, queryOf } from '../http/query.js';
import { optionsOf } from '../doors/call-request.js';
import { JsonDoor } from '../doors/json-door.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { withoutLogin } from './database-login.js';
import { McpServers, shownServer, shownWithDefinitions, type ServerRow } from './servers.js';

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/);
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const secret = z.string().max(8_192).regex(headerValue, 'must be one line of Latin-1 text');
/** A document is given whole. */
const maxBodyBytes = 10 * 1024 * 1024;
const registration = z.looseObject({
  name: z.string().max(64),
  kind: z.string().max(32).optional(),
  /** Of a database `postgres://user:password@host:5432/database`, which is sealed and never shown. */
  url: z.string().max(8_192).optional(),
  /** `*` is an operator's deliberate act, with the scope `admin`: for all tenants. By default the server is the caller's tenant's own. */
  tenants: z.enum(['own', '*']).default('own'),
  /** Sent with each request to the server, such as `Authorization`. */
  headers: z.record(headerName, secret).optional(),
  /** What an OpenAPI service asks for, by the names of the security schemes in its document: a token, a key, or `user:password`. */
  credentials: z.record(z.string().min(1).max(200), secret).optional(),
  /** Each call is made with its caller's own account at this provider, whose token takes the place of a fixed header. */
  connection: connectionNeed.nullish(),
  /** What a server of MCP may ask of its callers' clients within a call, besides forms. */
  may_ask: z.array(relayedAsk).max(2).optional(),
  /** What the pages of its tools (MCP Apps) may load and use in a client. */
  apps: appRules.optional(),
  /** Of a database: its tools. */
  queries: givenQueries.nullish(),
  /** An OpenAPI document, as an object or as text in JSON or YAML. */
  document: z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
});
const registrationSchema = toJsonSchema(registration, 'input');
const serverName: RouteParameter = ['path', 'name', 'Name of the server.'];
const serverTenant: RouteParameter = [
  'query',
  'tenant',
  "With the scope admin: the tenant whose server it is, or * for one for all. By default the caller's own tenant's, else one for all.",
];

/** Outside tool servers, for administrators: those of their own tenant; with the scope `admin` all of them. Registering is a call like any other: a job of the perception worker. */
@Controller('mcp/servers')
export class McpServersController {
  constructor(
    private readonly servers: McpServers,
    private readonly json: JsonDoor,
  ) {}

  @Route({
    access: 'tenant:admin',
    points: 20,
    maxBodyBytes,
    docs: {
      id: 'registerMcpServer',
      summary: 'Register or renew an outside tool server',
      tag: 'mcp',
      body: registrationSchema,
      status: 201,
    },
  })
  @Post()
  async register(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { headers = {}, credentials: given = {}, url: address, document, queries, ...rest } = readBody(request, registration);
    const caller = callerOf(request);
    const server = { tenantId: rest.tenants === '*' ? null : caller.tenantId, name: rest.name };
    // The worker asks again: the tool can be called at other doors too.
    if (server.tenantId === null) requireOperator(caller, "A server for all tenants, which parameter 'tenants' asks for,");
    const isDatabase = rest.kind === 'sql';
    const { url, credentials } =
      isDatabase && address !== undefined ? withoutLogin(address, { headers, given }) : { url: address, credentials: given };
    const values = valuesToSeal(headers, credentials);
    const input = {
      ...rest,
      ...(url !== undefined && { url }),
      ...(document !== undefined && { document: typeof document === 'string' ? document : JSON.stringify(document) }),
      ...(queries && { queries: JSON.stringify(queries) }),
      ...(Object.keys(values).length > 0 && { sealed_headers: this.servers.seal(server, values) }),
    };
    const call = {
      tool: 'register_mcp_server',
      input,
      options: () => ({ ...optionsOf(request), run_at: undefined, delay_ms: undefined, callback_url: undefined }),
      traceId: null,
    };
    const { outcome } = await this.json.answerOf(request, call, disconnected(reply));
    if (!outcome.ok) {
      const { code: _, family, message, ...others } = outcome.error;
      throw new Refusal(family, message, others);
    }
    await this.servers.refresh();
    return { ...shownWithDefinitions(await this.servers.one(server)), registered: outcome.data };
  }

  @Route({
    access: 'tenant:admin',
    docs: { id: 'listMcpServers', summary: "Outside tool servers of the caller's tenant; with the scope admin of all", tag: 'mcp' },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const caller = callerOf(request);
    const rows = await this.servers.all(hasScope(caller, 'admin') ? undefined : caller.tenantId);
    return { servers: rows.map(shownServer) };
  }

  @Route({
    access: 'tenant:admin',
    docs: { id: 'getMcpServer', summary: 'One outside tool server', tag: 'mcp', parameters: [serverName, serverTenant] },
  })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<object> {
    return shownWithDefinitions(await this.#named(request, name));
  }

  @Route({
    access: 'tenant:admin',
    docs: {
      id: 'removeMcpServer',
      summary: 'Remove an outside tool server and its tools',
      tag: 'mcp',
      parameters: [serverName, serverTenant],
    },
  })
  @Delete(':name')
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<object> {
    const row = await this.#named(request, name);
    return shownServer(await this.servers.remove(row, principal(callerOf(request))));
  }

  /** The server that a request names among those that its caller may see. Throws RESOURCE_NOT_FOUND. */
  async #named(request: FastifyRequest, name: string): Promise<ServerRow> {
    const caller = callerOf(request);
    const { tenant } = queryOf(request);
    if (tenant !== undefined) requireTenant(caller, String(tenant), "Query parameter 'tenant'");
    if (tenant !== undefined) return this.servers.one({ tenantId: tenant === '*' ? null : tenantNamed(tenant), name });
    const own = await this.servers.find({ tenantId: caller.tenantId, name });
    return own ?? this.servers.one({ tenantId: hasScope(caller, 'admin') ? null : caller.tenantId, name });
  }
}

function tenantNamed(given: unknown): string {
  const tenant = tenantIdSchema.safeParse(given);
  if (tenant.success) return tenant.data;
  throw new Refusal('INVALID_PARAMS', "Query parameter 'tenant' must be the id of a tenant, or * for a server for all", {
    details: [{ path: 'tenant', message: 'must be the id of a tenant, or *' }],
  });
}

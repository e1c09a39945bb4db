import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { principal, Refusal, servedDomainName, tenantIdSchema, toJsonSchema } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { requireTenant, tenantToList } from '../http/tenant-rights.js';
import { queryOf } from '../http/query.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { stored } from '../http/stored.js';
import { ServedDirectory } from './served-directory.js';
import { fingerprintOf, unreachable, type ServedRow } from './served-row.js';
import { ServedTools } from './served-tools.js';

const approval = z.strictObject({
  tenant_id: tenantIdSchema,
  name: z.string().max(64),
  version: z.string().max(20),
  /** Of the contract that was looked at: what the worker announced after that is not approved unseen. */
  fingerprint: z.string().length(64),
});
const approvalSchema = toJsonSchema(approval, 'input');
const tenant: RouteParameter = ['query', 'tenant_id', 'Of this tenant alone.'];

/** Tools that tenants serve from workers of their own, for administrators: those of their own tenant; with the scope `admin` all of them. */
@Controller('served-tools')
export class ServedToolsController {
  constructor(
    private readonly tools: ServedTools,
    private readonly directory: ServedDirectory,
  ) {}

  @Route({
    access: 'tenant:admin',
    // Each comes with its contract.
    points: 20,
    docs: {
      id: 'listServedTools',
      summary: 'Tools that your tenant serves, approved or waiting for it; with the scope admin those of every tenant',
      tag: 'operations',
      parameters: [tenant],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const tenantId = tenantToList(callerOf(request), queryOf(request)['tenant_id'], "Query parameter 'tenant_id'");
    const rows = await stored(unreachable, () => this.tools.all(tenantId));
    return { tools: rows.map((row) => this.#shown(row)) };
  }

  @Route({
    access: 'tenant:admin',
    docs: { id: 'approveServedTool', summary: 'Approve a version of a tool as it was looked at', tag: 'operations', body: approvalSchema },
  })
  @Post('approvals')
  @HttpCode(200)
  async approve(@Req() request: FastifyRequest): Promise<object> {
    const caller = callerOf(request);
    const { tenant_id: tenantId, ...wanted } = readBody(request, approval);
    requireTenant(caller, tenantId, "Parameter 'tenant_id'");
    const approved = await this.tools.approve({ tenantId, ...wanted }, principal(caller));
    if (approved.kind === 'none') throw notFound();
    if (approved.kind === 'refused')
      throw new Refusal('CONFLICT', `${wanted.name} ${wanted.version} cannot be approved: ${approved.reason}`);
    const { row } = approved;
    if (fingerprintOf(row) !== wanted.fingerprint)
      throw new Refusal('CONFLICT', `${row.name} ${row.version} is another contract now than the one that you name; see GET /served-tools`);
    await this.directory.changed();
    return this.#shown(row);
  }

  /** Its callers get TOOL_NOT_FOUND from now on, and its workers serve the rest. Announced again, it waits for an approval. */
  @Route({
    access: 'tenant:admin',
    docs: {
      id: 'removeServedTool',
      summary: 'Remove a version of a tool',
      tag: 'operations',
      parameters: [['path', 'name', 'Name of the tool.'], ['path', 'version', 'Its version.'], tenant],
    },
  })
  @Delete(':name/:version')
  async remove(@Req() request: FastifyRequest, @Param('name') name: string, @Param('version') version: string): Promise<object> {
    const caller = callerOf(request);
    const tenantId = tenantIdSchema.safeParse(queryOf(request)['tenant_id']);
    if (!tenantId.success)
      throw new Refusal('INVALID_PARAMS', "Query parameter 'tenant_id' must name the tenant whose tool it is", {
        details: [{ path: 'tenant_id', message: 'must be the id of a tenant' }],
      });
    requireTenant(caller, tenantId.data, "Query parameter 'tenant_id'");
    const row = await this.tools.remove({ tenantId: tenantId.data, name, version }, principal(caller));
    if (!row) throw notFound();
    await this.directory.changed();
    return this.#shown(row);
  }

  #shown(row: ServedRow): object {
    const { tenantId, name, version, domain } = row;
    const isServed = this.directory.isServed({ queue: servedDomainName({ tenant: tenantId, domain }), name, version });
    return {
      tenant_id: tenantId,
      domain,
      name,
      version,
      state: row.approvedAt ? (isServed ? 'served' : 'approved') : 'pending',
      announced_by: row.announcedBy,
      announced_at: row.announcedAt.toISOString(),
      approved_by: row.approvedBy,
      approved_at: row.approvedAt?.toISOString() ?? null,
      fingerprint: fingerprintOf(row),
      contract: row.contract,
    };
  }
}

function notFound(): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', 'There is no such version of a tool; see GET /served-tools');
}

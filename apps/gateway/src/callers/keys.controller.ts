import { Controller, Delete, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  Catalog,
  isAmong,
  principal,
  Refusal,
  scopeNames,
  servedDomainShape,
  tenantIdSchema,
  tiers,
  toJsonSchema,
  toolPatternShape,
  toolsetName,
  userIdSchema,
  type Caller,
} from '#lib/contracts';
import { changeAs, mintApiKey, type Database } from '#lib/platform';
import { queryOf } from '../http/query.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { stored } from '../http/stored.js';
import { ToolsetDirectory } from '../rules/toolset-directory.js';
import { ApiKeys } from './api-keys.js';
import { storedKey, type KeyRow } from './key-store.js';
import { callerOf } from '../http/caller-of.js';
import { requireGrantable, requireRevocable } from './key-grant.js';
import { mayAdminister, tenantToList } from '../http/tenant-rights.js';

const newKey = z.strictObject({
  /** What its owner calls it. */
  name: z.string().trim().min(1).max(100).optional(),
  tenant_id: tenantIdSchema,
  user_id: userIdSchema.optional(),
  tier: z.enum(tiers),
  scopes: z.array(z.enum(scopeNames)).min(1).max(20),
  expires_at: z.iso
    .datetime({ offset: true, abort: true })
    // With its offset a moment of the year 9999 may be one of the year 10000, which the database driver does not read.
    .refine((text) => new Date(text).getUTCFullYear() <= 9_999, { error: 'must end before the year 10000, in UTC' })
    .optional(),
  /** With the scope `tools:serve`: the domains that its workers may serve. Any where it is absent. */
  serves: z
    .array(z.string().regex(servedDomainShape, 'must be the name of a domain: a letter, then at most 18 of a-z, 0-9 and -'))
    .min(1)
    .max(50)
    .optional(),
  /** With the scope `tools:serve`: whether what its workers announce may be called without an administrator. */
  approves_tools: z.boolean().optional(),
  /** The only tools that the key sees and calls, by name or alias; `*` stands for any characters. All where it is absent. */
  tools: z.array(z.string().regex(toolPatternShape, 'must be a name of a tool, with * for any characters')).min(1).max(100).optional(),
  /** A set of the tenant: the only tools that the key sees and calls, under the names of the set. It stands in the place of `tools`. */
  toolset: toolsetName.optional(),
});
const newKeySchema = toJsonSchema(newKey, 'input');
const keyId: RouteParameter = ['path', 'id', 'Public id of the key.'];

const unreachable = 'The key store cannot be reached at the moment';

/**
 * API keys, for administrators: those of their own tenant; with the scope `admin` all of them. The key itself is in one answer and never
 * again.
 */
@Controller('keys')
export class KeysController {
  constructor(
    private readonly keys: ApiKeys,
    private readonly catalog: Catalog,
    private readonly sets: ToolsetDirectory,
  ) {}

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: {
      id: 'createKey',
      summary: 'Create an API key that has no more than your own credential; the answer is the only one that has the key itself',
      tag: 'callers',
      body: newKeySchema,
      status: 201,
    },
  })
  @Post()
  async create(@Req() request: FastifyRequest): Promise<object> {
    const maker = callerOf(request);
    const {
      name,
      tenant_id: tenantId,
      user_id,
      tier,
      scopes: wanted,
      expires_at,
      serves = [],
      approves_tools,
      tools = [],
      toolset,
    } = readBody(request, newKey);
    if ((serves.length > 0 || approves_tools !== undefined) && !wanted.some((scope) => scope === 'tools:serve' || scope === '*'))
      throw new Refusal('INVALID_PARAMS', "Parameters 'serves' and 'approves_tools' need the scope tools:serve", {
        details: [{ path: 'scopes', message: 'must hold tools:serve' }],
      });
    const expiresAt = expires_at ? new Date(expires_at) : null;
    if (expiresAt && expiresAt.getTime() <= Date.now())
      throw new Refusal('INVALID_PARAMS', "Parameter 'expires_at' must be in the future", {
        details: [{ path: 'expires_at', message: 'must be in the future' }],
      });
    requireGrantable(maker, { tenantId, tier, scopes: wanted, serves }, await this.keys.directory.servesOf(maker.credentialId));
    this.#requireTools(tenantId, tools);
    if (toolset !== undefined) this.#requireToolset(tenantId, { tools, toolset });
    const { id, key, hash } = mintApiKey();
    const { database } = this.keys;
    const row = await stored(unreachable, () =>
      changeAs(database, principal(maker), async (transaction) =>
        transaction.apiKey.create({
          data: {
            id,
            hash,
            name: name ?? null,
            tenantId,
            userId: user_id ?? null,
            tier,
            scopes: wanted,
            expiresAt,
            serves,
            approvesTools: approves_tools ?? false,
            tools,
            toolset: toolset ?? null,
          },
        }),
      ),
    );
    request.facts.made = id;
    return { ...shown(row), key };
  }

  /** A name that no tool has is a mistake: its key would see nothing. Throws INVALID_PARAMS. */
  #requireTools(tenantId: string, patterns: readonly string[]): void {
    const { tools } = this.catalog.seenBy(tenantId);
    const unknown = patterns.findIndex((pattern) => !tools.some((tool) => !tool.internal && isAmong([pattern], tool)));
    if (unknown < 0) return;
    const message = `fits no tool of the tenant: ${patterns[unknown]}; GET /tools has their names`;
    throw new Refusal('INVALID_PARAMS', `Parameter 'tools.${unknown}' ${message}`, { details: [{ path: `tools.${unknown}`, message }] });
  }

  /** Throws INVALID_PARAMS. */
  #requireToolset(tenantId: string, { tools, toolset }: { readonly tools: readonly string[]; readonly toolset: string }): void {
    const fault = (message: string): Refusal =>
      new Refusal('INVALID_PARAMS', `Parameter 'toolset' ${message}`, { details: [{ path: 'toolset', message }] });
    if (tools.length > 0) throw fault("stands in the place of 'tools'; leave one of them out");
    if (!this.sets.find(tenantId, toolset)) throw fault(`is no set of the tenant: ${toolset}; GET /toolsets has their names`);
  }

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: {
      id: 'listKeys',
      summary: 'The newest 1,000 API keys of your tenant; with the scope admin of every tenant',
      tag: 'callers',
      parameters: [['query', 'tenant_id', 'Of this tenant alone.']],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const tenantId = tenantToList(callerOf(request), queryOf(request)['tenant_id'], "Query parameter 'tenant_id'");
    const where = tenantId === undefined ? {} : { tenantId };
    const rows = await stored(unreachable, () =>
      this.keys.database.apiKey.findMany({ where, orderBy: { createdAt: 'desc' }, take: 1_000 }),
    );
    return { keys: rows.map(shown) };
  }

  @Route({ access: 'tenant:admin', docs: { id: 'getKey', summary: 'One API key', tag: 'callers', parameters: [keyId] } })
  @Get(':id')
  async one(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    return shown(await this.#found(callerOf(request), id));
  }

  /** Throws RESOURCE_NOT_FOUND, also for a key of a tenant that the caller does not administer. */
  async #found(caller: Caller, id: string): Promise<KeyRow> {
    const row = await stored(unreachable, () => storedKey(this.keys.database, id));
    if (row && mayAdminister(caller, row.tenantId)) return row;
    throw new Refusal('RESOURCE_NOT_FOUND', 'There is no such key');
  }

  /** Revokes; the row stays as a record of what there was. */
  @Route({ access: 'tenant:admin', docs: { id: 'revokeKey', summary: 'Revoke an API key', tag: 'callers', parameters: [keyId] } })
  @Delete(':id')
  @HttpCode(200)
  async revoke(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const caller = callerOf(request);
    requireRevocable(caller, await this.#found(caller, id));
    const { database } = this.keys;
    const revoked = { where: { id, revokedAt: null }, data: { revokedAt: new Date() } };
    await stored(unreachable, () => changeAs(database, principal(caller), async (transaction) => transaction.apiKey.updateMany(revoked)));
    this.keys.directory.forget(id);
    return shown(await this.#found(caller, id));
  }
}

function shown(row: Awaited<ReturnType<Database['apiKey']['create']>>): object {
  return {
    id: row.id,
    prefix: `invoq_${row.id}`,
    name: row.name,
    tenant_id: row.tenantId,
    user_id: row.userId,
    tier: row.tier,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
    serves: row.serves,
    approves_tools: row.approvesTools,
    /** Empty for a key that has every tool. */
    tools: row.tools,
    toolset: row.toolset,
    /** Late by up to a minute. */
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  };
}

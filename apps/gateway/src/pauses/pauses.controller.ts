import { Controller, Delete, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  hasScope,
  newPause,
  parseOrRefuse,
  pauseName,
  principal,
  toJsonSchema,
  type Caller,
  type NewPause,
  type Pause,
  type PauseList,
} from '#lib/contracts';
import { callerOf } from '../callers/authentication.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { ReadyPause } from '../flow/pause-directory.js';
import { PauseKeeper } from '../flow/pause-keeper.js';
import { operator, PauseStore, type PauseRow } from '../flow/pause-store.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { stored } from '../http/stored.js';
import { knownTarget, madeBy, ownerOf, unknown } from './owned.js';
import { invalidField } from '../calls/invalid.js';

const maxPauseBytes = 4_096;
const unreachable = 'Pauses cannot be reached at the moment';
const named: RouteParameter = ['path', 'name', 'Name of the pause.'];

/** Calls that wait, or are refused: of a tenant by its administrators, of all tenants by the operator. */
@Controller('pauses')
export class PausesController {
  readonly #store: PauseStore;
  readonly #keeper: PauseKeeper;
  readonly #tools: ToolDirectory;

  constructor(store: PauseStore, keeper: PauseKeeper, tools: ToolDirectory) {
    this.#store = store;
    this.#keeper = keeper;
    this.#tools = tools;
  }

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: { id: 'listPauses', summary: 'What is paused: by you, and by the operator where calls of your tenant meet it', tag: 'pauses' },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<PauseList> {
    const caller = callerOf(request);
    const rows = await stored(unreachable, () => this.#store.ofTenants([operator, caller.tenantId]));
    return { pauses: rows.filter((row) => isSeen(row, caller)).map((row) => this.#shown(row, caller)) };
  }

  @Route({ access: 'tenant:admin', docs: { id: 'getPause', summary: 'One pause', tag: 'pauses', parameters: [named] } })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Pause> {
    const caller = callerOf(request);
    for (const tenantId of [ownerOf(caller), operator, caller.tenantId]) {
      const row = await this.#find({ tenantId, name });
      if (row && isSeen(row, caller)) return this.#shown(row, caller);
    }
    throw unknown('pause', name);
  }

  @Route({
    access: 'tenant:admin',
    maxBodyBytes: maxPauseBytes,
    points: 5,
    docs: {
      id: 'putPause',
      summary: 'Pause calls: they are accepted and wait, or are refused. No attempt begins once it is answered',
      tag: 'pauses',
      parameters: [named],
      body: toJsonSchema(newPause, 'input'),
    },
  })
  @Put(':name')
  async put(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('name') given: string): Promise<Pause> {
    const caller = callerOf(request);
    const { name } = parseOrRefuse(z.object({ name: pauseName }), { name: given });
    const body = this.#checked(caller, readBody(request, newPause));
    const of = { tenantId: ownerOf(caller), name };
    const isNew = await stored(unreachable, () => this.#store.put(principal(caller), of, body));
    await stored(unreachable, () => this.#keeper.changed());
    request.facts.made = name;
    void reply.status(isNew ? 201 : 200).header('location', `/pauses/${name}`);
    const row = await this.#find(of);
    if (!row) throw unknown('pause', name);
    return this.#shown(row, caller);
  }

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: { id: 'deletePause', summary: 'End a pause: the calls that wait for it go on', tag: 'pauses', parameters: [named] },
  })
  @Delete(':name')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Pause> {
    const caller = callerOf(request);
    const row = (await this.#find({ tenantId: ownerOf(caller), name })) ?? (await this.#find({ tenantId: caller.tenantId, name }));
    if (!row || !(await stored(unreachable, () => this.#store.remove(principal(caller), row)))) throw unknown('pause', name);
    const shown = this.#shown(row, caller);
    await stored(unreachable, () => this.#keeper.changed());
    return shown;
  }

  /** A name that nothing has would pause nothing, and nobody would see it. Throws INVALID_PARAMS, TOOL_NOT_FOUND or PERMISSION_DENIED. */
  #checked(caller: Caller, body: NewPause): NewPause {
    const isOperator = hasScope(caller, 'admin');
    if (!isOperator && body.tenant !== undefined && body.tenant !== caller.tenantId)
      throw invalidField('tenant', 'must be your own tenant, which is the default');
    const tenant = isOperator ? body.tenant : caller.tenantId;
    const whose = { ...body, ...(tenant !== undefined && { tenant }) };
    // The tools of another tenant are not the caller's to see.
    if (tenant !== undefined && tenant !== caller.tenantId) return whose;
    return knownTarget(this.#tools.of(caller), whose);
  }

  async #find(of: { readonly tenantId: string; readonly name: string }): Promise<PauseRow | null> {
    return pauseName.safeParse(of.name).success ? stored(unreachable, () => this.#store.find(of)) : null;
  }

  #shown(row: PauseRow, caller: Caller): Pause {
    return {
      name: row.name,
      by: madeBy(row),
      tool: row.tool,
      domain: row.domain,
      tenant: row.pausedTenant,
      reason: row.reason,
      refuse: row.refuse,
      waiting: row.pausedTenant === caller.tenantId || hasScope(caller, 'admin') ? this.#keeper.waitingFor(new ReadyPause(row).id) : null,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    };
  }
}

function isSeen({ tenantId, pausedTenant }: PauseRow, caller: Caller): boolean {
  if (tenantId !== operator || hasScope(caller, 'admin')) return true;
  return pausedTenant === null || pausedTenant === caller.tenantId;
}

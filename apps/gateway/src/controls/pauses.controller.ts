import { Controller, Delete, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  invalidField,
  hasScope,
  newPause,
  pauseName,
  toJsonSchema,
  type Caller,
  type NewPause,
  type Pause,
  type PauseList,
} from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { ReadyPause } from '../rules/flow/pause-directory.js';
import { PauseKeeper } from '../rules/flow/pause-keeper.js';
import { operator, PauseStore, type PauseRow } from '../rules/flow/pause-store.js';
import { NamedRows } from '../http/named-rows.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { knownTarget, madeBy, ownerOf } from './owned.js';

const maxPauseBytes = 4_096;
const unreachable = 'Pauses cannot be reached at the moment';
const named: RouteParameter = ['path', 'name', 'Name of the pause.'];

/** Calls that wait, or are refused: of a tenant by its administrators, of all tenants by the operator. */
@Controller('pauses')
export class PausesController {
  readonly #rows: NamedRows<PauseRow, NewPause>;

  constructor(
    store: PauseStore,
    private readonly keeper: PauseKeeper,
    private readonly tools: ToolDirectory,
  ) {
    this.#rows = new NamedRows({
      store,
      directory: keeper,
      name: pauseName,
      what: 'pause',
      path: '/pauses',
      unreachable,
      whose: { owner: ownerOf, others: [operator], isSeen },
    });
  }

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: { id: 'listPauses', summary: 'What is paused: by you, and by the operator where calls of your tenant meet it', tag: 'pauses' },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<PauseList> {
    const caller = callerOf(request);
    const rows = await this.#rows.all(caller);
    return { pauses: rows.map((row) => this.#shown(row, caller)) };
  }

  @Route({ access: 'tenant:admin', docs: { id: 'getPause', summary: 'One pause', tag: 'pauses', parameters: [named] } })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Pause> {
    const caller = callerOf(request);
    return this.#shown(await this.#rows.one(caller, name), caller);
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
    const name = this.#rows.nameIn(given);
    const body = this.#checked(caller, readBody(request, newPause));
    return this.#shown(await this.#rows.put({ request, reply, caller, name }, body), caller);
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
    const row = await this.#rows.own(caller, name);
    const shown = this.#shown(row, caller);
    await this.#rows.remove(caller, row);
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
    return knownTarget(this.tools.of(caller), whose);
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
      waiting: row.pausedTenant === caller.tenantId || hasScope(caller, 'admin') ? this.keeper.waitingFor(new ReadyPause(row).id) : null,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
    };
  }
}

function isSeen({ tenantId, pausedTenant }: PauseRow, caller: Caller): boolean {
  if (tenantId !== operator || hasScope(caller, 'admin')) return true;
  return pausedTenant === null || pausedTenant === caller.tenantId;
}

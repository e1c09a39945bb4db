import { Controller, Delete, Get, HttpCode, Param, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  invalidField,
  flowName,
  hasScope,
  newFlow,
  toJsonSchema,
  type Caller,
  type Flow,
  type FlowList,
  type NewFlow,
} from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { ReadyFlow } from '../rules/flow/flow-directory.js';
import { FlowKeeper } from '../rules/flow/flow-keeper.js';
import { FlowStore, type FlowRow } from '../rules/flow/flow-store.js';
import { operator } from '../rules/flow/pause-store.js';
import { NamedRows } from '../http/named-rows.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { keyFault } from '../rules/call-conditions.js';
import { Stores } from '../stores.js';
import { knownTarget, madeBy, ownerOf } from './owned.js';

const maxFlowBytes = 16_384;
const unreachable = 'Flows cannot be reached at the moment';
const named: RouteParameter = ['path', 'name', 'Name of the flow.'];

/** Calls that wait for each other: of a tenant by its administrators, of all tenants by the operator. */
@Controller('flows')
export class FlowsController {
  readonly #rows: NamedRows<FlowRow, NewFlow>;

  constructor(
    store: FlowStore,
    private readonly keeper: FlowKeeper,
    private readonly tools: ToolDirectory,
    private readonly stores: Stores,
  ) {
    this.#rows = new NamedRows({
      store,
      directory: keeper,
      name: flowName,
      what: 'flow',
      path: '/flows',
      unreachable,
      whose: { owner: ownerOf, others: [operator], isSeen: () => true },
    });
  }

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: { id: 'listFlows', summary: 'The flows that calls of your tenant have to pass: yours, and those of the operator', tag: 'flows' },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<FlowList> {
    const caller = callerOf(request);
    const rows = await this.#rows.all(caller);
    return { flows: rows.map((row) => this.#shown(row, caller)) };
  }

  @Route({ access: 'tenant:admin', docs: { id: 'getFlow', summary: 'One flow', tag: 'flows', parameters: [named] } })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Flow> {
    const caller = callerOf(request);
    return this.#shown(await this.#rows.one(caller, name), caller);
  }

  @Route({
    access: 'tenant:admin',
    maxBodyBytes: maxFlowBytes,
    points: 5,
    docs: {
      id: 'putFlow',
      summary: 'Bound how many calls with one key run at a time, or begin in a time: the others wait in a line of their key',
      tag: 'flows',
      parameters: [named],
      body: toJsonSchema(newFlow, 'input'),
    },
  })
  @Put(':name')
  async put(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('name') given: string): Promise<Flow> {
    const caller = callerOf(request);
    const name = this.#rows.nameIn(given);
    const body = knownTarget(this.tools.of(caller), readBody(request, newFlow));
    const fault = body.key === undefined ? null : keyFault(body.key);
    if (fault !== null) throw invalidField('key', fault);
    return this.#shown(await this.#rows.put({ request, reply, caller, name }, body), caller);
  }

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: { id: 'deleteFlow', summary: 'Delete a flow: the calls that wait in its lines go on', tag: 'flows', parameters: [named] },
  })
  @Delete(':name')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Flow> {
    const caller = callerOf(request);
    const row = await this.#rows.own(caller, name);
    const shown = this.#shown(row, caller);
    await this.#rows.remove(caller, row);
    return shown;
  }

  #shown(row: FlowRow, caller: Caller): Flow {
    const { bounds, id, expression } = new ReadyFlow(row, this.stores.keys.flow(row.tenantId, row.name));
    const fault = expression === null ? null : keyFault(expression);
    return {
      name: row.name,
      by: madeBy(row),
      tool: row.tool,
      domain: row.domain,
      key: expression,
      concurrency: bounds.concurrency,
      rate: bounds.rate && { max: bounds.rate.max, per_ms: bounds.rate.perMs },
      waiting: row.tenantId === caller.tenantId || hasScope(caller, 'admin') ? this.keeper.waitingIn(id) : null,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      problem: fault === null ? null : `key ${fault}`,
    };
  }
}

import { Controller, Get, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { hasScope, parseOrRefuse, waitingLinesQuery, type Caller, type WaitingLineList } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { FlowDirectory } from '../rules/flow/flow-directory.js';
import { operator } from '../rules/flow/pause-store.js';
import { WaitingLines, type LinedFlow } from '../rules/flow/waiting-lines.js';
import { queryOf } from '../http/query.js';
import { Route } from '../http/route.js';
import { stored } from '../http/stored.js';
import { Stores } from '../stores.js';
import { madeBy } from './owned.js';

const unreachable = 'The lines of flows cannot be reached at the moment';

/** Where calls wait for each other. */
@Controller('flow-lines')
export class FlowLinesController {
  constructor(
    private readonly lines: WaitingLines,
    private readonly directory: FlowDirectory,
    private readonly tools: ToolDirectory,
    private readonly stores: Stores,
  ) {}

  @Route({
    access: 'tenant:admin',
    points: 5,
    docs: {
      id: 'listFlowLines',
      summary:
        'The lines in which calls wait for each other, the longest first: of flows of your tenant, and with the scope admin of those of the operator',
      tag: 'flows',
      parameters: [
        ['query', 'flow', 'Only lines of flows of this name.'],
        ['query', 'limit', '1–100, 50 by default.'],
      ],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<WaitingLineList> {
    const { flow, limit } = parseOrRefuse(waitingLinesQuery, queryOf(request));
    const flows = this.#seenBy(callerOf(request)).filter(({ name }) => flow === undefined || name === flow);
    return stored(unreachable, () => this.lines.of(flows, limit));
  }

  /** Those of the operator have calls of every tenant. */
  #seenBy(caller: Caller): readonly LinedFlow[] {
    const { tenantId } = caller;
    const owners = hasScope(caller, 'admin') ? [operator, tenantId] : [tenantId];
    const made = owners.flatMap((owner) => this.directory.of(owner)).map(({ id, name, row }) => ({ id, name, by: madeBy(row) }));
    const brought = this.tools.of(caller).catalog.tools.filter(({ flow }) => flow);
    return [
      ...made,
      ...brought.map(({ name }): LinedFlow => ({ id: this.stores.keys.contractFlow(tenantId, name), name, by: 'contract' })),
    ];
  }
}

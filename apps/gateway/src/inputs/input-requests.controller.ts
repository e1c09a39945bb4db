import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  hasScope,
  inputDecision,
  inputRequestsQuery,
  parseOrRefuse,
  principal,
  Refusal,
  textIn,
  toJsonSchema,
  type Caller,
  type InputRequest,
  type InputRequestPage,
  type InputRequestsQuery,
} from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { languageOf } from '../http/language.js';
import { queryOf } from '../http/query.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import type { InputRow } from '../calls/waiting/input-row.js';
import type { InputPlace } from '../calls/waiting/input-store.js';
import { Cursors } from '../http/cursors.js';
import { Stores } from '../stores.js';
import { InputRequests } from './input-requests.js';

const named: RouteParameter = ['path', 'id', 'Id of an input request.'];

/** What is asked of people while calls rest: found, read, decided. */
@Controller('input-requests')
export class InputRequestsController {
  readonly #places: Cursors<InputPlace>;

  constructor(
    private readonly requests: InputRequests,
    stores: Stores,
  ) {
    this.#places = new Cursors(stores.settings.SEALING_KEYS, z.strictObject({ at: z.number(), id: z.string() }));
  }

  @Route({
    docs: {
      id: 'listInputRequests',
      summary: 'What waits for people, newest first: for your own calls, and what you may approve',
      tag: 'inputs',
      parameters: [
        ['query', 'scope', 'mine, the default; tenant, with the scope approvals: all of your tenant.'],
        ['query', 'state', 'open, accepted, declined, cancelled or expired.'],
        ['query', 'kind', 'approval, question or connection.'],
        ['query', 'tool', 'Name of a tool.'],
        ['query', 'cursor', 'next_cursor of the page before. A page of a filter may be short, or empty, although there are more.'],
        ['query', 'limit', '1–100, 50 by default.'],
      ],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<InputRequestPage> {
    const caller = callerOf(request);
    const { cursor, limit, ...filters } = parseOrRefuse(inputRequestsQuery, queryOf(request));
    const of = whose(caller, filters.scope);
    const binding = JSON.stringify([principal(caller), 'inputs', of?.orApprovals ?? null, filters]);
    const place = cursor === undefined ? null : this.#places.open(cursor, binding);
    const { state = null, kind = null, tool = null } = filters;
    const rows = await this.requests.page({ tenantId: caller.tenantId, of, state, kind, tool }, place, limit + 1);
    const listed = rows.slice(0, limit);
    const last = rows.length > limit ? listed.at(-1) : undefined;
    const settled = await Promise.all(listed.map(async (row) => this.requests.settled(row)));
    return {
      input_requests: settled
        .filter((row): row is InputRow => row !== null)
        .map((row) => this.#shown(request, row))
        .filter((one) => state === null || one.state === state),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last ? this.#places.seal({ at: last.createdAt.getTime(), id: last.id }, binding) : null,
      },
    };
  }

  @Route({ docs: { id: 'getInputRequest', summary: 'One input request', tag: 'inputs', parameters: [named] } })
  @Get(':id')
  async one(@Req() request: FastifyRequest, @Param('id') id: string): Promise<InputRequest> {
    const caller = callerOf(request);
    return this.#shown(request, await this.requests.find(caller, id));
  }

  @Route({
    docs: {
      id: 'decideInputRequest',
      summary: 'Accept, decline or cancel; an approval needs the scope approvals, and is never for your own call',
      tag: 'inputs',
      parameters: [named],
      body: toJsonSchema(inputDecision, 'input'),
    },
  })
  @Post(':id')
  @HttpCode(200)
  async decide(@Req() request: FastifyRequest, @Param('id') id: string): Promise<InputRequest> {
    const caller = callerOf(request);
    return this.#shown(request, await this.requests.decide(caller, id, readBody(request, inputDecision)));
  }

  /** What people are asked is in their language where the question is ours. */
  #shown(request: FastifyRequest, row: InputRow): InputRequest {
    const shown = this.requests.shown(row, callerOf(request));
    return { ...shown, message: textIn(languageOf(request), shown.message) };
  }
}

/** Throws PERMISSION_DENIED. */
function whose(caller: Caller, scope: InputRequestsQuery['scope']) {
  const mayApprove = hasScope(caller, 'approvals');
  if (scope === 'mine') return { who: principal(caller), orApprovals: mayApprove };
  if (mayApprove) return null;
  throw new Refusal('PERMISSION_DENIED', 'Input requests of the scope tenant need a credential with the scope approvals', {
    extra: { required_scope: 'approvals' },
  });
}

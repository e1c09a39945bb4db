import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callSumsQuery, historyQuery, parseOrRefuse, type CallSums, type HistoryPage } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { queryOf } from '../http/query.js';
import { Route, type RouteParameter } from '../http/route.js';
import { CallHistory } from './call-history.js';
import { asksForCsv, sumsAsCsv } from './sums-csv.js';

const scope: RouteParameter = [
  'query',
  'scope',
  "mine: the caller's own calls, which is the default; tenant: those of its tenant; all: those of every tenant. The last two need the scope admin.",
];
const tenant: RouteParameter = ['query', 'tenant', 'With scope=all: only calls of this tenant.'];
const tool: RouteParameter = ['query', 'tool', 'Only calls of this tool.'];
const user: RouteParameter = ['query', 'user', 'Only calls of this user.'];
const cursor: RouteParameter = ['query', 'cursor', 'next_cursor of the page before.'];

/** Calls that have ended, and their sums. They are there a second or two after their end, for much longer than the jobs themselves. */
@Controller()
export class HistoryController {
  constructor(private readonly history: CallHistory) {}

  @Route({
    points: 10,
    docs: {
      id: 'listHistory',
      summary: 'Calls that ran and have ended, without input and result; those that ended last come first',
      tag: 'jobs',
      parameters: [
        scope,
        tenant,
        tool,
        user,
        ['query', 'state', 'Only calls that ended like this: completed, failed or cancelled.'],
        ['query', 'outcome', 'Only calls that ended like this: succeeded, refused, failed or cancelled.'],
        ['query', 'code', "Only calls that ended with this error: a canonical code, or the tool's own."],
        ['query', 'from', 'Ended at this time or after, ISO 8601.'],
        ['query', 'to', 'Ended before this time.'],
        cursor,
        ['query', 'limit', '1–1,000, 100 by default.'],
      ],
    },
  })
  @Get('history')
  async list(@Req() request: FastifyRequest): Promise<HistoryPage> {
    return this.history.page(callerOf(request), parseOrRefuse(historyQuery, queryOf(request)));
  }

  @Route({
    points: 20,
    docs: {
      id: 'sumCalls',
      summary:
        'Sums of calls that ran and have ended: how many, how they ended, how long they ran, tokens of models, costs. As CSV for `Accept: text/csv`',
      tag: 'callers',
      parameters: [
        scope,
        tenant,
        tool,
        user,
        ['query', 'conversation', 'Only turns of this conversation, and what they have called.'],
        ['query', 'from', 'The first day of UTC; 29 days before `to` by default, at most 365.'],
        ['query', 'to', 'The last day; today by default.'],
        [
          'query',
          'by',
          'What has a row of its own: day, tenant, user, key, tool, model and conversation, comma-separated. day,tool by default.',
        ],
        cursor,
        ['query', 'limit', '1–1,000, which is the default.'],
      ],
    },
  })
  @Get('usage/calls')
  async sum(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<CallSums | string> {
    const query = parseOrRefuse(callSumsQuery, queryOf(request));
    const sums = await this.history.sums(callerOf(request), query);
    void reply.header('vary', 'Accept');
    if (!asksForCsv(request.headers.accept)) return sums;
    void reply.type('text/csv; charset=utf-8');
    const { next_cursor } = sums.pagination;
    if (next_cursor !== null) void reply.header('x-next-cursor', next_cursor);
    return sumsAsCsv(query.by, sums.sums);
  }
}

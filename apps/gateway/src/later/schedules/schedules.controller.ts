import { randomUUID } from 'node:crypto';
import { Controller, Delete, Get, HttpCode, Param, Patch, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  newSchedule,
  newScheduleQuery,
  parseOrRefuse,
  principal,
  scheduleChange,
  scheduleRun,
  scheduleRunsQuery,
  schedulesQuery,
  textIn,
  toJsonSchema,
  type Language,
  type Schedule,
  type SchedulePage,
  type SchedulePreview,
  type ScheduleRun,
  type ScheduleRunPage,
  type StartedRun,
} from '#lib/contracts';
import { toListedCall } from '#lib/transport';
import { callerOf } from '../../http/caller-of.js';
import { requireScopeOf } from '../../http/tenant-rights.js';
import { callBasics } from '../../http/call-headers.js';
import { languageOf } from '../../http/language.js';
import { queryOf } from '../../http/query.js';
import { readBody } from '../../http/read-body.js';
import { Route, type RouteParameter } from '../../http/route.js';
import { stored } from '../../http/stored.js';
import { Stores } from '../../stores.js';
import { Calls } from '../../calls/calls.js';
import { defaultOptions } from '../../calls/options.js';
import { Cursors } from '../../http/cursors.js';
import { jobLinks } from '../../http/job-links.js';
import type { RunRow, ScheduleRow } from './schedule-row.js';
import { ScheduleStore } from './schedule-store.js';
import { Schedules, unreachable } from './schedules.js';

/** Arguments of a tool. A request to call it now has none of its own. */
const maxBodyBytes = 131_072;
const maxEmptyBytes = 1_024;

const named: RouteParameter = ['path', 'name', 'Name of one of your own, or an id.'];
const cursor: RouteParameter = ['query', 'cursor', 'next_cursor of the page before.'];
const limit: RouteParameter = ['query', 'limit', '1–100, 50 by default.'];
const runState = scheduleRun.shape.state;
const told = z.object({ code: z.string(), message: z.string() });

/** Calls that are made again and again, with the rights of whoever asked for them. */
@Controller('schedules')
export class SchedulesController {
  readonly #places: Cursors<{ readonly name: string; readonly id: string }>;
  readonly #runPlaces: Cursors<{ readonly at: number; readonly manual: boolean }>;

  constructor(
    private readonly schedules: Schedules,
    private readonly store: ScheduleStore,
    private readonly calls: Calls,
    private readonly stores: Stores,
  ) {
    const { SEALING_KEYS } = stores.settings;
    this.#places = new Cursors(SEALING_KEYS, z.strictObject({ name: z.string(), id: z.string() }));
    this.#runPlaces = new Cursors(SEALING_KEYS, z.strictObject({ at: z.number(), manual: z.boolean() }));
  }

  @Route({
    access: 'schedules',
    maxBodyBytes,
    docs: {
      id: 'createSchedule',
      summary: 'Have a tool called again and again, by cron or every so many ms',
      tag: 'schedules',
      parameters: [['query', 'dry_run', 'true checks it and tells its first five moments, with status 200, and makes none.']],
      body: toJsonSchema(newSchedule, 'input'),
      status: 201,
    },
  })
  @Post()
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Schedule | SchedulePreview> {
    const caller = callerOf(request);
    if (parseOrRefuse(newScheduleQuery, queryOf(request)).dry_run === 'true') {
      const moments = this.schedules.preview(caller, readBody(request, newSchedule));
      void reply.status(200);
      return { next: moments.map((at) => new Date(at).toISOString()) };
    }
    const row = await this.schedules.create(caller, readBody(request, newSchedule));
    request.facts.made = row.id;
    void reply.header('location', `/schedules/${row.name}`);
    return this.#shown(request, row);
  }

  @Route({
    access: 'schedules',
    docs: {
      id: 'listSchedules',
      summary: 'Your schedules, by name',
      tag: 'schedules',
      parameters: [
        ['query', 'scope', 'mine, the default; tenant, with the scope tenant:admin: of everybody in your tenant.'],
        cursor,
        limit,
      ],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<SchedulePage> {
    const caller = callerOf(request);
    const query = parseOrRefuse(schedulesQuery, queryOf(request));
    requireScopeOf(caller, query.scope, 'Schedules');
    const binding = JSON.stringify([principal(caller), 'schedules', query.scope]);
    const place = query.cursor === undefined ? null : this.#places.open(query.cursor, binding);
    const owner = query.scope === 'tenant' ? null : principal(caller);
    const rows = await this.schedules.page({ tenantId: caller.tenantId, owner }, place, query.limit + 1);
    const shown = rows.slice(0, query.limit);
    const last = rows.length > query.limit ? shown.at(-1) : undefined;
    return {
      schedules: shown.map((row) => this.#shown(request, row)),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last ? this.#places.seal({ name: last.name, id: last.id }, binding) : null,
      },
    };
  }

  @Route({ access: 'schedules', docs: { id: 'getSchedule', summary: 'One schedule', tag: 'schedules', parameters: [named] } })
  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Schedule> {
    const caller = callerOf(request);
    return this.#shown(request, await this.schedules.find(caller, name));
  }

  @Route({
    access: 'schedules',
    maxBodyBytes,
    docs: {
      id: 'changeSchedule',
      summary: 'Change a schedule; it calls with the rights of your credential from then on',
      tag: 'schedules',
      parameters: [named],
      body: toJsonSchema(scheduleChange, 'input'),
    },
  })
  @Patch(':name')
  async change(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Schedule> {
    const caller = callerOf(request);
    const row = await this.schedules.find(caller, name);
    return this.#shown(request, await this.schedules.change(caller, row, readBody(request, scheduleChange)));
  }

  @Route({
    access: 'schedules',
    docs: { id: 'deleteSchedule', summary: 'Delete a schedule and its runs; the jobs go on', tag: 'schedules', parameters: [named] },
  })
  @Delete(':name')
  @HttpCode(200)
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<Schedule> {
    const caller = callerOf(request);
    const row = await this.schedules.find(caller, name);
    const shown = this.#shown(request, row);
    await this.schedules.remove(caller, row);
    return shown;
  }

  @Route({
    access: 'schedules',
    maxBodyBytes: maxEmptyBytes,
    docs: {
      id: 'runSchedule',
      summary: 'Make its call now, besides those by the plan, with the rights of your credential',
      tag: 'schedules',
      parameters: [named, ['header', 'Idempotency-Key', 'The same key makes the same call.']],
      status: 202,
    },
  })
  @Post(':name/run')
  @HttpCode(202)
  async run(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('name') name: string,
  ): Promise<StartedRun> {
    const caller = callerOf(request);
    const row = await this.schedules.find(caller, name);
    const input = this.schedules.argumentsOf(caller, row);
    const basics = callBasics(request);
    using call = await this.calls.start({
      ...basics,
      // Without a key an answer from the cache would be no run.
      idempotencyKey: basics.idempotencyKey ?? `schedule/${row.id}/by-hand/${randomUUID()}`,
      tool: row.tool,
      input: () => input,
      options: defaultOptions,
      waits: false,
    });
    const jobId = call.jobId ?? '';
    const at = new Date(this.stores.clock.now());
    await stored(unreachable, () => this.store.calledByHand(principal(caller), row, { at, jobId }));
    const links = jobLinks(jobId);
    void reply.headers({ ...call.headers, location: links.self });
    return { schedule_id: row.id, job_id: jobId, state: 'waiting', tool_name: call.toolName, trace_id: call.traceId, links };
  }

  @Route({
    access: 'schedules',
    docs: {
      id: 'listScheduleRuns',
      summary: 'What became of its moments, newest first',
      tag: 'schedules',
      parameters: [named, cursor, limit],
    },
  })
  @Get(':name/runs')
  async runs(@Req() request: FastifyRequest, @Param('name') name: string): Promise<ScheduleRunPage> {
    const caller = callerOf(request);
    const query = parseOrRefuse(scheduleRunsQuery, queryOf(request));
    const row = await this.schedules.find(caller, name);
    const binding = JSON.stringify([principal(caller), 'runs', row.id]);
    const place = query.cursor === undefined ? null : this.#runPlaces.open(query.cursor, binding);
    const rows = await stored(unreachable, () => this.store.runs(row, place, query.limit + 1));
    const shown = rows.slice(0, query.limit);
    const last = rows.length > query.limit ? shown.at(-1) : undefined;
    return {
      runs: await Promise.all(shown.map((run) => this.#shownRun(run, languageOf(request)))),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last ? this.#runPlaces.seal({ at: last.at.getTime(), manual: last.manual }, binding) : null,
      },
    };
  }

  #shown(request: FastifyRequest, row: ScheduleRow): Schedule {
    const { problem, ...shown } = this.schedules.shown(callerOf(request), row);
    return { ...shown, problem: problem && { ...problem, message: textIn(languageOf(request), problem.message) } };
  }

  async #shownRun({ at, manual, state, calledAt, jobId, error }: RunRow, language: Language): Promise<ScheduleRun> {
    const record = jobId === null ? null : await this.stores.store.read(jobId);
    const known = told.safeParse(error);
    return {
      at: at.toISOString(),
      manual,
      state: runState.parse(state),
      called_at: calledAt?.toISOString() ?? null,
      job_id: jobId,
      job_state: record && toListedCall(record).call.state,
      error: known.success ? { ...known.data, message: textIn(language, known.data.message) } : null,
    };
  }
}

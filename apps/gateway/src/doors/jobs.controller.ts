import { Controller, Delete, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  invalidParameter,
  jobStates,
  parseEventId,
  parseOrRefuse,
  principal,
  Refusal,
  callQuery,
  textIn,
  toShownRest,
  type Caller,
  type JobState,
  type Language,
  type CallPage,
} from '#lib/contracts';
import { TimeLimit } from '#lib/handlers';
import type { CallRecord } from '#lib/transport';
import { callerOf } from '../http/caller-of.js';
import { Route, type RouteParameter } from '../http/route.js';
import { envelopeOf, type Answer } from '../calls/answer.js';
import { Calls } from '../calls/calls.js';
import { JobPages, type PagePlace } from '../records/job-pages.js';
import { CallFlows, inItsPlace } from '../rules/flow/call-flows.js';
import type { JobCall } from '../calls/job-call.js';
import { answerIn, languageOf } from '../http/language.js';
import { disconnected, queryOf, resumePoint } from '../http/query.js';
import { sessionOf } from '../http/call-headers.js';
import { filterParameters } from '../records/call-feed.controller.js';
import { CallPages } from '../records/call-pages.js';
import { CallSelection } from '../records/call-selection.js';
import { ToolDirectory } from '../calls/tool-directory.js';
import { Cursors, jobPlace } from '../http/cursors.js';
import { Stores } from '../stores.js';
import { eventFormOf } from './event-form.js';
import { jobLinks } from '../http/job-links.js';
import { waitParameter } from './preference.js';
import { shownInput } from './shown-input.js';
import { StreamDoor } from './stream-door.js';

const defaultLimit = 20;
/** @limit calls: rows of a page of calls; INVALID_PARAMS */
const maxLimit = 100;
/** A poll, a stream and a cancel belong to a call, which has been counted. */
const jobPoints = 0.2;
const jobId: RouteParameter = ['path', 'id', 'Job id.'];

/** What became of a call: polled, followed, listed, cancelled. */
@Controller('jobs')
export class JobsController {
  readonly #cursors: Cursors<PagePlace>;

  constructor(
    private readonly calls: Calls,
    private readonly streams: StreamDoor,
    private readonly jobs: JobPages,
    private readonly lists: CallPages,
    private readonly tools: ToolDirectory,
    private readonly flows: CallFlows,
    { settings }: Stores,
  ) {
    this.#cursors = new Cursors(settings.SEALING_KEYS, jobPlace);
  }

  @Route({
    points: jobPoints,
    docs: {
      id: 'getJob',
      summary: 'What became of a call',
      tag: 'jobs',
      parameters: [jobId, ['query', 'wait', 'Seconds to wait for its end, 0–60.']],
    },
  })
  @Get(':id')
  async poll(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const seconds = waitParameter(queryOf(request)['wait']);
    using call = await this.#find(request, id);
    using limit = new TimeLimit(seconds * 1_000, disconnected(reply));
    const { record, answer } = await call.standing(seconds > 0 ? limit.signal : null);
    if (answer && !answer.outcome.ok && answer.outcome.error.family === 'RESULT_CONSUMED')
      throw new Refusal('RESULT_CONSUMED', answer.outcome.error.message);
    void reply.headers(call.headers).send({
      ...shown(await this.#standing(record), answer, languageOf(request)),
      ...shownInput(record.head, callerOf(request), this.tools.contractOf(record.head)),
    });
  }

  @Route({
    ticket: 'read',
    points: jobPoints,
    docs: {
      id: 'followJob',
      summary: 'Its events, resumable',
      tag: 'jobs',
      parameters: [jobId, ['header', 'Last-Event-ID', 'The last event that was seen.']],
      media: 'text/event-stream',
    },
  })
  @Get(':id/events')
  async events(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const lastEventId = resumePoint(request);
    const place = lastEventId === null ? { jobId: id, seq: 0 } : parseEventId(lastEventId);
    using call = await this.#find(request, id);
    if (place?.jobId !== id)
      throw new Refusal('INVALID_PARAMS', 'Last-Event-ID is not the id of an event of this job', {
        details: [{ path: 'Last-Event-ID', message: 'not an event of this job' }],
      });
    const form = eventFormOf(queryOf(request)['format'], call.toolName);
    await this.streams.follow(request, reply, { call, after: place.seq, form });
  }

  /** Cancels the job. It ends at once, and its handler's signal fires wherever it runs. */
  @Route({
    points: jobPoints,
    docs: {
      id: 'cancelJob',
      summary: 'Cancel it',
      tag: 'jobs',
      parameters: [jobId, ['query', 'unless_joined', 'true leaves a job alone that another call waits for too.']],
      status: 202,
    },
  })
  @Delete(':id')
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    using call = await this.#find(request, id);
    const { ending } = await call.job();
    if (ending) throw ended(ending.state);
    const unlessJoined = flagParameter(request, 'unless_joined');
    const cancelled = await call.cancel('The call was cancelled by its caller', { unlessJoined });
    const state = cancelled === 'joined' ? (await call.job()).state : cancelled;
    if (cancelled !== 'joined' && state !== 'cancelled') throw ended(state);
    void reply
      .status(202)
      .headers(call.headers)
      .send({ job_id: id, state, tool_name: call.toolName, trace_id: call.traceId, links: jobLinks(id) });
  }

  /** The caller's own jobs, newest first. The cursor is a time and stays good while jobs are added. */
  @Route({
    points: 5,
    docs: {
      id: 'listJobs',
      summary:
        "The caller's own jobs, newest first. With `scope` they are calls, of others too: without progress and result, and late by a moment",
      tag: 'jobs',
      parameters: [
        ...filterParameters,
        ['query', 'from', 'With scope: accepted at this time or after, ISO 8601.'],
        ['query', 'to', 'With scope: accepted before this time.'],
        ['query', 'cursor', 'next_cursor of the page before. A page of a filter may be short, or empty, although there are more.'],
        ['query', 'limit', '1–100, 20 by default, 50 with scope.'],
      ],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const query = queryOf(request);
    const caller = callerOf(request);
    if (query['scope'] !== undefined) return this.#listCalls(caller, query);
    const state = oneOf('state', query['state'], jobStates);
    const tool = typeof query['tool'] === 'string' ? query['tool'] : null;
    const limit = limitOf(query['limit']);
    const binding = JSON.stringify([principal(caller), state, tool]);
    const from = query['cursor'] === undefined ? null : this.#cursors.open(query['cursor'], binding);
    const page = await this.jobs.read(caller, { state, tool, limit, from });
    const places = await this.flows.standing(page.jobs.map(({ record }) => record));
    const language = languageOf(request);
    return {
      jobs: page.jobs.map(({ record, answer }) => shown(inItsPlace(record, places), answer, language)),
      pagination: { has_more: page.next !== null, next_cursor: page.next && this.#cursors.seal(page.next, binding) },
    };
  }

  async #listCalls(caller: Caller, query: ReturnType<typeof queryOf>): Promise<CallPage> {
    const { cursor, limit, from, to, ...filters } = parseOrRefuse(callQuery, query);
    const selection = new CallSelection(caller, filters);
    return this.lists.read(selection, {
      after: from === undefined ? 0 : Date.parse(from),
      before: to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to),
      limit,
      cursor,
      binding: JSON.stringify([principal(caller), filters, from ?? null, to ?? null]),
    });
  }

  /** The same, with its place in a line as it is now. */
  async #standing(record: CallRecord): Promise<CallRecord> {
    return inItsPlace(record, await this.flows.standing([record]));
  }

  /** The caller's own job. Throws RESOURCE_NOT_FOUND. */
  async #find(request: FastifyRequest, id: string): Promise<JobCall> {
    return this.calls.find(callerOf(request), id, sessionOf(request));
  }
}

function shown(record: CallRecord, answer: Answer | null, language: Language): object {
  const { jobId, head, ending } = record;
  const progress = record.progress ?? (record.state === 'active' ? { progress: 0, message: `Starting ${head.tool}` } : null);
  return {
    job_id: jobId,
    tool_name: head.tool,
    state: record.state,
    rest: record.rest && toShownRest(record.rest),
    progress: progress && { ...progress, message: textIn(language, progress.message) },
    attempts_made: ending?.attempts ?? record.attempts,
    max_attempts: head.maxAttempts,
    trace_id: head.traceId,
    created_at: iso(head.createdAt),
    started_at: iso(record.startedAt),
    updated_at: iso(ending?.finishedAt ?? record.rest?.since ?? record.startedAt ?? head.createdAt),
    finished_at: iso(ending?.finishedAt ?? null),
    result: answer && envelopeOf(answerIn(language, answer)),
    links: jobLinks(jobId),
  };
}

function ended(state: JobState): Refusal {
  return new Refusal('CONFLICT', `The job has already ended: ${state}`);
}

function iso(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

function oneOf<Value extends string>(name: string, given: unknown, values: readonly Value[]): Value | null {
  if (given === undefined) return null;
  const found = values.find((value) => value === given);
  if (found) return found;
  throw invalidParameter(name, `must be one of [${values.join(', ')}]`);
}

function flagParameter(request: FastifyRequest, name: string): boolean {
  return oneOf(name, queryOf(request)[name], ['true', 'false']) === 'true';
}

function limitOf(given: unknown): number {
  if (given === undefined) return defaultLimit;
  const value = typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (value >= 1 && value <= maxLimit) return value;
  const message = `Parameter 'limit' must be an integer from 1 to ${maxLimit}`;
  throw new Refusal('INVALID_PARAMS', message, { details: [{ path: 'limit', message }] });
}

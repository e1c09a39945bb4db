import { Controller, Delete, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { domains, jobStates, principal, Refusal, type JobState } from '#lib/contracts';
import { TimeLimit } from '#lib/platform';
import { Followers, InvocationStore, type InvocationRecord } from '#lib/transport';
import { callerOf, resumePoint } from '../callers/guard.js';
import { Answers, envelopeOf, type Answer } from '../invocations/answers.js';
import { Finishing, wishesOf } from '../invocations/finishing.js';
import { disconnected, queryOf } from './call-request.js';
import { Cursors } from './cursors.js';
import { jobLinks } from './links.js';
import { waitParameter } from './preference.js';
import { agentForm, placeOf, Streams, toolForm, type EventForm } from './streams.js';

const defaultLimit = 20;
const maxLimit = 100;

/** What became of a call: polled, followed, listed, cancelled. */
@Controller('jobs')
export class JobsController {
  readonly #store: InvocationStore;
  readonly #followers: Followers;
  readonly #answers: Answers;
  readonly #finishing: Finishing;
  readonly #streams: Streams;
  readonly #cursors: Cursors;

  constructor(store: InvocationStore, followers: Followers, answers: Answers, finishing: Finishing, streams: Streams, cursors: Cursors) {
    this.#store = store;
    this.#followers = followers;
    this.#answers = answers;
    this.#finishing = finishing;
    this.#streams = streams;
    this.#cursors = cursors;
  }

  @Get(':id')
  async poll(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const seconds = waitParameter(queryOf(request)['wait']);
    let record = await this.#streams.find(request, id);
    if (seconds > 0 && !record.ending) {
      using follower = this.#followers.follow(id, false);
      using limit = new TimeLimit(seconds * 1_000, disconnected(reply));
      await follower.end(limit.signal);
      record = await this.#streams.find(request, id);
    }
    const { jobId, head, ending } = record;
    const answer = ending && (await this.#answers.ofEnded({ jobId, head, ending }, callerOf(request)));
    if (answer && !answer.outcome.ok && answer.outcome.error.family === 'RESULT_CONSUMED')
      throw new Refusal('RESULT_CONSUMED', answer.outcome.error.message);
    // With what the call asked to be added and the bytes of a small file, which a list leaves out.
    const finished = answer && (await this.#finishing.finish(answer, wishesOf(head)));
    void reply.header('x-trace-id', head.traceId).send(shown(record, finished));
  }

  @Get(':id/events')
  async events(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const lastEventId = resumePoint(request);
    const place = lastEventId === null ? { jobId: id, after: 0 } : placeOf(lastEventId);
    const record = await this.#streams.find(request, id);
    if (!place || place.jobId !== id)
      throw new Refusal('INVALID_PARAMS', 'Last-Event-ID is not the id of an event of this job', {
        details: [{ path: 'Last-Event-ID', message: 'not an event of this job' }],
      });
    await this.#streams.resume(request, reply, { ...place, form: formOf(request, record) });
  }

  /** Cancels: the job ends here and now, and its handler's signal fires wherever it runs. */
  @Delete(':id')
  async cancel(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const record = await this.#streams.find(request, id);
    if (record.ending) throw ended(record.ending.state);
    const error = { code: 'CANCELLED', family: 'CANCELLED', message: 'The call was cancelled by its caller' } as const;
    const ending = await this.#answers.endNow(id, record.head, { state: 'cancelled', outcome: { ok: false, error } });
    if (ending.state !== 'cancelled') throw ended(ending.state);
    void reply
      .status(202)
      .header('x-trace-id', record.head.traceId)
      .send({ job_id: id, state: 'cancelled', tool_name: record.head.tool, trace_id: record.head.traceId, links: jobLinks(id) });
  }

  /** The caller's own jobs, newest first. The cursor is a time and stays good while jobs are added. */
  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const query = queryOf(request);
    const caller = callerOf(request);
    const who = principal(caller);
    const state = oneOf('state', query['state'], jobStates);
    const tool = typeof query['tool'] === 'string' ? query['tool'] : null;
    const limit = limitOf(query['limit']);
    const binding = JSON.stringify([who, state, tool]);
    const from =
      query['cursor'] === undefined ? { before: Number.MAX_SAFE_INTEGER, skip: [] } : this.#cursors.open(query['cursor'], binding);
    const page = await this.#page(who, { state, tool, limit, ...from });
    return {
      jobs: page.records.map((record) => shown(record, record.ending && this.#answers.listed({ ...record, ending: record.ending }))),
      pagination: { has_more: page.next !== null, next_cursor: page.next && this.#cursors.seal(page.next, binding) },
    };
  }

  async #page(
    who: string,
    wanted: { state: JobState | null; tool: string | null; limit: number; before: number; skip: readonly string[] },
  ) {
    const records: InvocationRecord[] = [];
    let { before, skip } = wanted;
    for (;;) {
      const lists = await Promise.all(
        Object.keys(domains).map((domain) => this.#store.jobsOf(domain, who, { before, limit: wanted.limit + skip.length + 1 })),
      );
      const seen = new Set(skip);
      const batch = lists
        .flat()
        .toSorted((a, b) => b.createdAt - a.createdAt || (a.jobId < b.jobId ? 1 : -1))
        .filter(({ jobId }) => !seen.has(jobId));
      if (batch.length === 0) return { records, next: null };
      for (const { jobId, createdAt } of batch) {
        if (records.length === wanted.limit) return { records, next: { before, skip } };
        // Jobs of one millisecond are told apart by having been seen.
        skip = createdAt === before ? [...skip, jobId] : [jobId];
        before = createdAt;
        const record = await this.#store.read(jobId);
        if (
          record &&
          (wanted.state === null || record.state === wanted.state) &&
          (wanted.tool === null || record.head.tool === wanted.tool)
        )
          records.push(record);
      }
    }
  }
}

function shown(record: InvocationRecord, answer: Answer | null): object {
  const { jobId, head, ending } = record;
  return {
    job_id: jobId,
    tool_name: head.tool,
    state: record.state,
    progress: record.progress ?? (record.state === 'active' ? { progress: 0, message: `Starting ${head.tool}` } : null),
    attempts_made: ending?.attempts ?? record.runs,
    max_attempts: head.maxAttempts,
    trace_id: head.traceId,
    created_at: iso(head.createdAt),
    started_at: iso(record.startedAt),
    updated_at: iso(ending?.finishedAt ?? record.startedAt ?? head.createdAt),
    finished_at: iso(ending?.finishedAt ?? null),
    result: answer && envelopeOf(answer),
    links: jobLinks(jobId),
  };
}

/** `?format=agent` tells a chat turn in the events of the agent. Throws INVALID_PARAMS. */
function formOf(request: FastifyRequest, record: InvocationRecord): EventForm {
  const { format } = queryOf(request);
  if (format === undefined) return toolForm;
  if (format === 'agent' && record.head.tool === 'chat_turn') return agentForm;
  const message = "Parameter 'format' must be left out, or be agent for a chat turn";
  throw new Refusal('INVALID_PARAMS', message, { details: [{ path: 'format', message }] });
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
  const message = `Parameter '${name}' must be one of [${values.join(', ')}]`;
  throw new Refusal('INVALID_PARAMS', message, { details: [{ path: name, message }] });
}

function limitOf(given: unknown): number {
  if (given === undefined) return defaultLimit;
  const value = typeof given === 'string' && /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (value >= 1 && value <= maxLimit) return value;
  const message = `Parameter 'limit' must be an integer from 1 to ${maxLimit}`;
  throw new Refusal('INVALID_PARAMS', message, { details: [{ path: 'limit', message }] });
}

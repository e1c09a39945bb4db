import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalidParameter, principal, Refusal, replayRequest, toJsonSchema, type Caller, type ReplayedCall } from '#lib/contracts';
import type { CallHead } from '#lib/transport';
import { callerOf } from '../http/caller-of.js';
import { callBasics, sessionOf } from '../http/call-headers.js';
import { optionsOf } from './call-request.js';
import { readBody } from '../http/read-body.js';
import { Route } from '../http/route.js';
import { Calls } from '../calls/calls.js';
import { replaysAfter } from '../calls/replays.js';
import { jobLinks } from '../http/job-links.js';

/** Parameters of any tool. */
const maxBodyBytes = 4 * 1024 * 1024;

/** Runs a job again, as a new one that names its origin. */
@Controller('jobs')
export class ReplayController {
  constructor(private readonly calls: Calls) {}

  /**
   * The new job is a call like any other: of the replaying caller, with its scopes, limits and idempotency key, and with parameters that the
   * contract checks. It takes no answer from the cache and joins no call, because somebody wants to see it run.
   */
  @Route({
    maxBodyBytes,
    docs: {
      id: 'replayJob',
      summary: 'Run it again, with other parameters if wanted: a new job of the caller, which names its origin',
      tag: 'jobs',
      parameters: [
        ['path', 'id', 'Id of the origin.'],
        ['header', 'Idempotency-Key', 'Of the replay; not that of the origin.'],
      ],
      body: toJsonSchema(replayRequest, 'input'),
      status: 202,
    },
  })
  @Post(':id/replay')
  @HttpCode(202)
  async replay(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id') id: string,
  ): Promise<ReplayedCall> {
    const { input: edited } = readBody(request, replayRequest);
    const caller = callerOf(request);
    using origin = await this.calls.find(caller, id, sessionOf(request));
    const { head } = await origin.job();
    const input = edited ?? (await this.#inputOf(head, caller));
    const basics = callBasics(request);
    using call = await this.calls.start({
      ...basics,
      // Of the version that ran, or one that takes the same parameters.
      tool: `${head.tool}@^${head.version}`,
      input: () => input,
      sessionId: basics.sessionId ?? (isOf(head, caller) ? head.sessionId : null),
      options: { ...optionsOf(request), enable_cache: false },
      waits: false,
      replayOf: id,
      replays: replaysAfter(head),
    });
    const jobId = call.jobId ?? '';
    const links = jobLinks(jobId);
    void reply.headers({ ...call.headers, location: links.self });
    const state = call.resting ? 'resting' : 'waiting';
    return { job_id: jobId, state, tool_name: call.toolName, trace_id: call.traceId, replay_of: id, links };
  }

  /** Throws INVALID_PARAMS where the parameters are not there to be used. */
  async #inputOf(head: CallHead, caller: Caller): Promise<unknown> {
    if (!isOf(head, caller)) throw inputNeeded('those of a run of somebody else are masked');
    if (head.inputGone) throw inputNeeded('those of the origin are kept no more');
    return this.calls.parametersOf(head);
  }
}

function isOf({ caller }: CallHead, reader: Caller): boolean {
  return principal(caller) === principal(reader);
}

function inputNeeded(why: string): Refusal {
  return invalidParameter('input', `is needed: ${why}`);
}

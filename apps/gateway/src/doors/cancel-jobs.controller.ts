import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  cancelQuery,
  cancelSelection,
  parseOrRefuse,
  Refusal,
  toJsonSchema,
  type CancelledJobs,
  type Caller,
  type DryRunCount,
} from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { Authenticator } from '../callers/authenticator.js';
import { Calls } from '../calls/calls.js';
import { queryOf } from '../http/query.js';
import { readBody } from '../http/read-body.js';
import { Route } from '../http/route.js';
import { JobPages } from '../records/job-pages.js';

/**
 * Jobs that one request looks at, and what costs as much as a plain request.
 * @limit a tenant: calls that one bulk cancel looks at; the answer says where to go on
 */
const mostScanned = 20_000;
const scannedOfAPoint = 100;
/** Those that are cancelled at once. */
const together = 25;
const maxBodyBytes = 4_096;

/** Cancels many jobs of a caller. */
@Controller('jobs')
export class CancelJobsController {
  constructor(
    private readonly calls: Calls,
    private readonly pages: JobPages,
    private readonly authenticator: Authenticator,
  ) {}

  @Route({
    maxBodyBytes,
    docs: {
      id: 'cancelJobs',
      summary: 'Cancel all of your jobs that have not ended and meet each filter',
      tag: 'jobs',
      parameters: [['query', 'dry_run', 'true tells how many they are, and cancels none.']],
      body: toJsonSchema(cancelSelection, 'input'),
    },
  })
  @Post('cancel')
  @HttpCode(200)
  async cancel(@Req() request: FastifyRequest): Promise<CancelledJobs | DryRunCount> {
    const { user, tool = null, state = null, from, to } = readBody(request, cancelSelection);
    const isDry = parseOrRefuse(cancelQuery, queryOf(request)).dry_run === 'true';
    const asking = callerOf(request);
    const caller = user === undefined || user === asking.userId ? asking : await this.authenticator.actFor(asking, user);
    const times = {
      after: from === undefined ? 0 : Date.parse(from),
      before: to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to) - 1,
    };
    let [found, scanned] = [0, 0];
    for await (const some of this.pages.open(caller, { tool, state, ...times })) {
      found += isDry ? some.jobIds.length : await this.#cancelAll(caller, some.jobIds);
      scanned += some.scanned;
      request.facts.taken.points += some.scanned / scannedOfAPoint;
      if (scanned < mostScanned) continue;
      return isDry ? { count: found } : { cancelled: found, next_to: new Date(some.until).toISOString() };
    }
    return isDry ? { count: found } : { cancelled: found, next_to: null };
  }

  /** @returns how many of them were cancelled now */
  async #cancelAll(caller: Caller, jobIds: readonly string[]): Promise<number> {
    let cancelled = 0;
    for (let at = 0; at < jobIds.length; at += together) {
      const states = await Promise.all(jobIds.slice(at, at + together).map(async (jobId) => this.#cancelOne(caller, jobId)));
      cancelled += states.filter(Boolean).length;
    }
    return cancelled;
  }

  async #cancelOne(caller: Caller, jobId: string): Promise<boolean> {
    try {
      using call = await this.calls.find(caller, jobId, null);
      if ((await call.job()).ending) return false;
      return (await call.cancel('The call was cancelled by its caller')) === 'cancelled';
    } catch (error) {
      // Its record is gone since.
      if (error instanceof Refusal && error.error.family === 'RESOURCE_NOT_FOUND') return false;
      throw error;
    }
  }
}

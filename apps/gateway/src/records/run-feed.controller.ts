import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseOrRefuse, Refusal, runFeedQuery } from '#lib/contracts';
import type { FeedEntry } from '#lib/transport';
import { callerOf, resumePoint } from '../callers/authentication.js';
import { queryOf } from '../http/query.js';
import { EventStreams } from '../http/event-streams.js';
import { Route, type RouteParameter } from '../http/route.js';
import { RunFeed } from './run-feed.js';
import { RunSelection } from './run-selection.js';

/** Filters of the lists of runs, for `/openapi.json`. */
export const filterParameters: readonly RouteParameter[] = [
  [
    'query',
    'scope',
    "mine: the caller's own runs; tenant: those of its tenant; all: those of every tenant. The last two need the scope admin.",
  ],
  ['query', 'tenant', 'With scope=all: only runs of this tenant.'],
  ['query', 'state', 'Only runs in this state.'],
  ['query', 'outcome', 'With scope: only runs that stand like this: succeeded, refused, failed, cancelled or open.'],
  ['query', 'tool', 'Only runs of this tool.'],
  ['query', 'code', "Only runs that ended with this error: a canonical code, or the tool's own."],
  ['query', 'user', 'Only runs of this user.'],
];

/** A place in the feed: an entry, and how many of its runs were sent. */
const placeShape = /^(\d{1,15}-\d{1,15})-(\d{1,3})$/;
const all = 999;

/** Runs as they begin and end, pushed. */
@Controller('jobs')
export class RunFeedController {
  readonly #feed: RunFeed;
  readonly #streams: EventStreams;

  constructor(feed: RunFeed, streams: EventStreams) {
    this.#feed = feed;
    this.#streams = streams;
  }

  @Route({
    docs: {
      id: 'followRuns',
      summary:
        'Runs as they begin and end, for whom GET /jobs?scope= lists them. `run` has a run; `reset`, which comes first where Last-Event-ID is missing or too old, asks to read the list again',
      tag: 'jobs',
      parameters: [
        ...filterParameters,
        ['header', 'Accept', 'text/event-stream'],
        ['header', 'Last-Event-ID', 'The last event that was seen.'],
      ],
      media: 'text/event-stream',
    },
  })
  @Get('feed')
  async follow(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { lastEventId: _, ...query } = queryOf(request);
    const selection = new RunSelection(callerOf(request), parseOrRefuse(runFeedQuery, query));
    if (!/text\/event-stream/i.test(request.headers.accept ?? ''))
      throw new Refusal('INVALID_PARAMS', 'The feed is an event stream without an end; ask for it with Accept: text/event-stream', {
        details: [{ path: 'Accept', message: 'must be text/event-stream' }],
      });
    const [, entry = null, sent = '0'] = placeShape.exec(resumePoint(request) ?? '') ?? [];
    using stream = this.#streams.open(request, reply);
    for await (const next of this.#feed.follow(entry, stream.gone)) {
      stream.sendFrames(framesOf(next, { selection, skip: next.id === entry ? Number(sent) : 0 }), 'run');
      await stream.drained();
    }
  }
}

function framesOf(
  { id, runs }: FeedEntry | { readonly id: string; readonly runs: null },
  { selection, skip }: { readonly selection: RunSelection; readonly skip: number },
): readonly { readonly event: string; readonly id: string; readonly data: string }[] {
  if (runs === null) return [{ event: 'reset', id: `${id}-${all}`, data: '{}' }];
  return runs.flatMap((one, index) =>
    index < skip || !selection.has(one) ? [] : [{ event: 'run', id: `${id}-${index + 1}`, data: JSON.stringify(one.run) }],
  );
}

import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseOrRefuse, Refusal, callFeedQuery } from '#lib/contracts';
import type { FeedEntry } from '#lib/transport';
import { callerOf } from '../http/caller-of.js';
import { queryOf, resumePoint } from '../http/query.js';
import { EventStreams } from '../http/event-streams.js';
import { Route, type RouteParameter } from '../http/route.js';
import { CallFeed } from './call-feed.js';
import { CallSelection } from './call-selection.js';

/** Filters of the lists of calls, for `/openapi.json`. */
export const filterParameters: readonly RouteParameter[] = [
  [
    'query',
    'scope',
    "mine: the caller's own calls; tenant: those of its tenant; all: those of every tenant. The last two need the scope admin.",
  ],
  ['query', 'tenant', 'With scope=all: only calls of this tenant.'],
  ['query', 'state', 'Only calls in this state.'],
  ['query', 'outcome', 'With scope: only calls that stand like this: succeeded, refused, failed, cancelled or open.'],
  ['query', 'tool', 'Only calls of this tool.'],
  ['query', 'code', "Only calls that ended with this error: a canonical code, or the tool's own."],
  ['query', 'user', 'Only calls of this user.'],
];

/** A place in the feed: an entry, and how many of its calls were sent. */
const placeShape = /^(\d{1,15}-\d{1,15})-(\d{1,3})$/;
const all = 999;

/** Runs as they begin and end, pushed. */
@Controller('jobs')
export class CallFeedController {
  constructor(
    private readonly feed: CallFeed,
    private readonly streams: EventStreams,
  ) {}

  @Route({
    docs: {
      id: 'followCalls',
      summary:
        'Runs as they begin and end, for whom GET /jobs?scope= lists them. `run` has a call; `reset`, which comes first where Last-Event-ID is missing or too old, asks to read the list again',
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
    const selection = new CallSelection(callerOf(request), parseOrRefuse(callFeedQuery, query));
    if (!/text\/event-stream/i.test(request.headers.accept ?? ''))
      throw new Refusal('INVALID_PARAMS', 'The feed is an event stream without an end; ask for it with Accept: text/event-stream', {
        details: [{ path: 'Accept', message: 'must be text/event-stream' }],
      });
    const [, entry = null, sent = '0'] = placeShape.exec(resumePoint(request) ?? '') ?? [];
    using stream = this.streams.open(request, reply);
    for await (const next of this.feed.follow(entry, stream.gone)) {
      stream.sendFrames(framesOf(next, { selection, skip: next.id === entry ? Number(sent) : 0 }), 'run');
      await stream.drained();
    }
  }
}

function framesOf(
  { id, calls }: FeedEntry | { readonly id: string; readonly calls: null },
  { selection, skip }: { readonly selection: CallSelection; readonly skip: number },
): readonly { readonly event: string; readonly id: string; readonly data: string }[] {
  if (calls === null) return [{ event: 'reset', id: `${id}-${all}`, data: '{}' }];
  return calls.flatMap((one, index) =>
    index < skip || !selection.has(one) ? [] : [{ event: 'run', id: `${id}-${index + 1}`, data: JSON.stringify(one.call) }],
  );
}

import { setInterval } from 'node:timers/promises';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Activity, ActivityBucket, ActivitySecond, ActivitySums } from '#lib/contracts';
import { EventStream } from '../http/event-stream.js';
import { EventStreams } from '../http/event-streams.js';
import { Route } from '../http/route.js';
import { Stores } from '../stores.js';
import { OwnDomains } from './own-domains.js';
import { QueueStates } from './queue-states.js';

const everyMs = 1_000;
/** By then every process has written what it counted in a second. */
const lateMs = 3_000;
/** The sums come with one of so many seconds. */
const sumsEvery = 5;

/** How busy the system is: counts of all processes, from Redis. */
@Controller('admin/activity')
export class ActivityController {
  constructor(
    private readonly stores: Stores,
    private readonly queues: QueueStates,
    private readonly own: OwnDomains,
    private readonly streams: EventStreams,
  ) {}

  @Route({
    access: 'admin',
    points: 5,
    docs: {
      id: 'getActivity',
      summary:
        'Calls, errors and latencies by tool, of the last 5 minutes by the second and the last 3 hours by the minute, and the queues; with Accept: text/event-stream as the event `activity`, followed each second by `second`; administrators only',
      tag: 'operations',
      parameters: [['header', 'Accept', 'application/json, or text/event-stream to follow.']],
    },
  })
  @Get()
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const activity = await this.#activity();
    if (!/text\/event-stream/i.test(request.headers.accept ?? '')) return void (await reply.send(activity));
    using stream = this.streams.open(request, reply);
    send(stream, 'activity', activity);
    try {
      let seconds = 0;
      for await (const _ of setInterval(everyMs, undefined, { signal: stream.gone, ref: false })) {
        const [second, now] = [await this.#second(), Date.now()];
        const isWithSums = ++seconds % sumsEvery === 0;
        send(stream, 'second', isWithSums ? { ...second, sums: await this.#sums(now), minute: await this.#minute(now) } : second);
        await stream.drained();
      }
    } catch (error) {
      // The reader has left. While Redis is away the stream ends, and its reader comes back for all of it.
      if (!stream.gone.aborted) this.stores.log.warn({ event: 'activity-stream-ended', err: error }, 'a stream of activity was ended');
    }
  }

  async #activity(): Promise<Activity> {
    const now = Date.now();
    const { activity } = this.stores;
    const [seconds, minutes, sums, queues, own_queues] = await Promise.all([
      activity.read('second', now),
      activity.read('minute', now),
      this.#sums(now),
      this.queues.queues(),
      this.own.queues(),
    ]);
    return { now: new Date(now).toISOString(), seconds: [...seconds], minutes: [...minutes], sums, queues, own_queues };
  }

  async #sums(now: number): Promise<ActivitySums> {
    const { activityWindow } = this.stores;
    const [seconds, minutes] = await Promise.all([activityWindow.sum('second', now), activityWindow.sum('minute', now)]);
    return { seconds, minutes };
  }

  /** The present minute, until some seconds after its end: so its last reading has all of it. */
  async #minute(now: number): Promise<ActivityBucket> {
    return this.stores.activityWindow.bucket('minute', now, now - sumsEvery * everyMs - lateMs);
  }

  async #second(): Promise<ActivitySecond> {
    const [bucket, queues, own_queues] = await Promise.all([
      this.stores.activity.second(Date.now() - lateMs),
      this.queues.queues(),
      this.own.queues(),
    ]);
    return { bucket, queues, own_queues };
  }
}

/** Each connection begins with all that is shown, so no event needs an id to go on from. */
function send(stream: EventStream, event: 'activity' | 'second', data: Activity | ActivitySecond): void {
  stream.sendFrames([{ event, data: JSON.stringify(data) }], event);
}

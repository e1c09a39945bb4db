import { setInterval } from 'node:timers/promises';
import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasScope, type Caller, type WorkerList } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { EventStreams } from '../http/event-streams.js';
import { Route } from '../http/route.js';
import { Stores } from '../stores.js';
import { OwnDomains } from '../records/own-domains.js';
import { QueueStates } from '../records/queue-states.js';

const everyMs = 2_000;

/** Who works on what, over all processes. */
@Controller('admin/workers')
export class WorkersController {
  constructor(
    private readonly queues: QueueStates,
    private readonly own: OwnDomains,
    private readonly streams: EventStreams,
    private readonly stores: Stores,
  ) {}

  @Route({
    access: 'tenant:admin',
    docs: {
      id: 'listWorkers',
      summary:
        "The worker processes that were heard of in the last 15 seconds, and the domains of tenants' own workers; with the scope tenant:admin those of the tenant alone; with Accept: text/event-stream again and again as the event `workers`",
      tag: 'operations',
      parameters: [['header', 'Accept', 'application/json, or text/event-stream to follow.']],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const caller = callerOf(request);
    const list = await this.#list(caller);
    if (!/text\/event-stream/i.test(request.headers.accept ?? '')) return void (await reply.send(list));
    using stream = this.streams.open(request, reply);
    const send = (workers: WorkerList): void => stream.sendFrames([{ event: 'workers', data: JSON.stringify(workers) }], 'workers');
    send(list);
    try {
      for await (const _ of setInterval(everyMs, undefined, { signal: stream.gone, ref: false })) {
        send(await this.#list(caller));
        await stream.drained();
      }
    } catch (error) {
      // The reader has left, or Redis is away: then its reader comes back.
      if (!stream.gone.aborted) this.stores.log.warn({ event: 'workers-stream-ended', err: error }, 'a stream of workers was ended');
    }
  }

  async #list(caller: Caller): Promise<WorkerList> {
    if (!hasScope(caller, 'admin')) return { own_domains: await this.own.list(caller.tenantId), workers: [] };
    const [own_domains, workers] = await Promise.all([this.own.list(), this.queues.workers()]);
    return { own_domains, workers };
  }
}

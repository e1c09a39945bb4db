import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toJsonSchema, workerConnection, workerMessages } from '#lib/contracts';
import { callerOf } from '../http/caller-of.js';
import { readBody } from '../http/read-body.js';
import { Route } from '../http/route.js';
import { ServingHub } from './serving-hub.js';

const connectionSchema = toJsonSchema(workerConnection, 'input');
const messagesSchema = toJsonSchema(workerMessages, 'input');
/** Contracts and results may be large. */
const maxBodyBytes = 8 * 1024 * 1024;

/** The door for workers of tenants: events down, messages up. docs/worker-protocol.md explains it. */
@Controller('workers')
export class WorkersController {
  constructor(private readonly hub: ServingHub) {}

  @Route({
    access: 'tools:serve',
    maxBodyBytes,
    points: 20,
    docs: {
      id: 'connectWorker',
      summary: 'Serve tools: the answer is the stream of attempts',
      tag: 'operations',
      body: connectionSchema,
      media: 'text/event-stream',
    },
  })
  @Post()
  async connect(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.hub.connect(callerOf(request), readBody(request, workerConnection), reply);
  }

  @Route({
    access: 'tools:serve',
    maxBodyBytes,
    points: 0.1,
    docs: {
      id: 'sendWorkerMessages',
      summary: 'Progress, results and other messages of a worker',
      tag: 'operations',
      parameters: [['path', 'id', 'Of the worker, as its stream said.']],
      body: messagesSchema,
    },
  })
  @Post(':id/messages')
  @HttpCode(200)
  async receive(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply, @Param('id') id: string): Promise<object> {
    const received = await this.hub.receive(callerOf(request), id, readBody(request, workerMessages).messages);
    // Its own gateway will say on the stream what is settled.
    if (!received) void reply.status(202);
    return received ?? { settled: [], unknown: [] };
  }
}

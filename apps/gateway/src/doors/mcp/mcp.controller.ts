import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Route, type RouteFacts } from '../../http/route.js';
import { McpDoor } from './door.js';
import { pointsOf } from './points.js';

const mcpRoute = { challenge: 'oauth', checksOrigin: true, takesSet: true, errors: 'json-rpc' } as const satisfies Partial<RouteFacts>;

@Controller('mcp')
export class McpController {
  constructor(private readonly door: McpDoor) {}

  @Route({
    ...mcpRoute,
    points: 0,
    bodyPoints: pointsOf,
    docs: { id: 'mcp', summary: 'Model Context Protocol, Streamable HTTP', tag: 'mcp', body: { type: 'object' } },
  })
  @Post()
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.door.serve(request, reply);
  }

  @Route({
    ...mcpRoute,
    docs: {
      id: 'listenMcp',
      summary: 'Notifications of the server, for the revisions that have them',
      tag: 'mcp',
      media: 'text/event-stream',
    },
  })
  @Get()
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.door.serve(request, reply);
  }

  @Route({ ...mcpRoute, docs: { id: 'endMcp', summary: 'End of a session, for the revisions that have sessions', tag: 'mcp' } })
  @Delete()
  async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.door.serve(request, reply);
  }
}

import { Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { Refusal } from '#lib/contracts';
import { requireScope } from '../../callers/guard.js';
import { disconnected, optionsOf } from '../call-request.js';
import { JsonDoor } from '../json-door.js';
import { McpServers, shownServer } from './servers.js';

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/);
const registration = z.looseObject({
  name: z.string().max(64),
  /** Sent with each request to the server, such as `Authorization`. */
  headers: z.record(headerName, z.string().max(8_192)).optional(),
});

/** Outside tool servers; administrators only. Registering is a call like any other: a job of the perception worker. */
@Controller('mcp/servers')
export class McpServersController {
  readonly #servers: McpServers;
  readonly #json: JsonDoor;

  constructor(servers: McpServers, json: JsonDoor) {
    this.#servers = servers;
    this.#json = json;
  }

  @Post()
  async register(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    requireScope(request, 'admin');
    const parsed = registration.safeParse(request.body);
    if (!parsed.success) throw new Refusal('INVALID_PARAMS', z.prettifyError(parsed.error));
    const { headers, ...rest } = parsed.data;
    const input = { ...rest, ...(headers && { sealed_headers: this.#servers.seal(parsed.data.name, headers) }) };
    const call = { tool: 'register_mcp_server', input, options: () => optionsOf(request), traceId: null };
    const { outcome } = await this.#json.answerOf(request, call, disconnected(reply));
    if (!outcome.ok) {
      const { code: _, family, message, ...others } = outcome.error;
      throw new Refusal(family, message, others);
    }
    await this.#servers.refresh();
    return { ...shownServer(await this.#servers.one(parsed.data.name)), registered: outcome.data };
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    requireScope(request, 'admin');
    return { servers: (await this.#servers.all()).map(shownServer) };
  }

  @Get(':name')
  async one(@Req() request: FastifyRequest, @Param('name') name: string): Promise<object> {
    requireScope(request, 'admin');
    return shownServer(await this.#servers.one(name));
  }

  @Delete(':name')
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<object> {
    requireScope(request, 'admin');
    return shownServer(await this.#servers.remove(name));
  }
}

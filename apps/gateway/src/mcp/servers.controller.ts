import { Controller, Delete, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { principal, Refusal, toJsonSchema } from '#lib/contracts';
import { callerOf } from '../callers/authentication.js';
import { disconnected, optionsOf } from '../http/call-request.js';
import { JsonDoor } from '../tools/json-door.js';
import { readBody } from '../http/read-body.js';
import { Route, type RouteParameter } from '../http/route.js';
import { McpServers, shownServer, shownWithDefinitions } from './servers.js';

const headerName = z.string().regex(/^[A-Za-z0-9-]{1,64}$/);
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
const registration = z.looseObject({
  name: z.string().max(64),
  /** Sent with each request to the server, such as `Authorization`. */
  headers: z.record(headerName, z.string().max(8_192).regex(headerValue, 'must be one line of Latin-1 text')).optional(),
});
const registrationSchema = toJsonSchema(registration, 'input');
const serverName: RouteParameter = ['path', 'name', 'Name of the server.'];

/** Outside tool servers; administrators only. Registering is a call like any other: a job of the perception worker. */
@Controller('mcp/servers')
export class McpServersController {
  readonly #servers: McpServers;
  readonly #json: JsonDoor;

  constructor(servers: McpServers, json: JsonDoor) {
    this.#servers = servers;
    this.#json = json;
  }

  @Route({
    access: 'admin',
    docs: {
      id: 'registerMcpServer',
      summary: 'Register or renew an outside tool server',
      tag: 'mcp',
      body: registrationSchema,
      status: 201,
    },
  })
  @Post()
  async register(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<object> {
    const { headers, ...rest } = readBody(request, registration);
    const input = { ...rest, ...(headers && { sealed_headers: this.#servers.seal(rest.name, headers) }) };
    const call = { tool: 'register_mcp_server', input, options: () => optionsOf(request), traceId: null };
    const { outcome } = await this.#json.answerOf(request, call, disconnected(reply));
    if (!outcome.ok) {
      const { code: _, family, message, ...others } = outcome.error;
      throw new Refusal(family, message, others);
    }
    await this.#servers.refresh();
    return { ...shownWithDefinitions(await this.#servers.one(rest.name)), registered: outcome.data };
  }

  @Route({ access: 'admin', docs: { id: 'listMcpServers', summary: 'All outside tool servers', tag: 'mcp' } })
  @Get()
  async list(): Promise<object> {
    return { servers: (await this.#servers.all()).map(shownServer) };
  }

  @Route({ access: 'admin', docs: { id: 'getMcpServer', summary: 'One outside tool server', tag: 'mcp', parameters: [serverName] } })
  @Get(':name')
  async one(@Param('name') name: string): Promise<object> {
    return shownWithDefinitions(await this.#servers.one(name));
  }

  @Route({
    access: 'admin',
    docs: { id: 'removeMcpServer', summary: 'Remove an outside tool server and its tools', tag: 'mcp', parameters: [serverName] },
  })
  @Delete(':name')
  async remove(@Req() request: FastifyRequest, @Param('name') name: string): Promise<object> {
    return shownServer(await this.#servers.remove(name, principal(callerOf(request))));
  }
}

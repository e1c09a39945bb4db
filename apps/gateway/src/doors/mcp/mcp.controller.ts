import { Controller, Delete, Get, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { McpDoor } from './door.js';

@Controller('mcp')
export class McpController {
  readonly #door: McpDoor;

  constructor(door: McpDoor) {
    this.#door = door;
  }

  @Post()
  async post(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#door.serve(request, reply);
  }

  @Get()
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#door.serve(request, reply);
  }

  @Delete()
  async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#door.serve(request, reply);
  }
}

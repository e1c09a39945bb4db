import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callerOf } from '../callers/guard.js';
import { ChatDoor } from './chat-door.js';
import { conversationIdOf } from './chat-request.js';
import { guestOf } from './guests.js';

/** The source's own path, and those under which its front-ends knew it (C-92). */
const prefixes = ['chat/v5', 'api/chat/v5', 'api/v1/chat/v5'];

/** Chat: one message, what answers it as a stream, and what was said before. */
@Controller(prefixes)
export class ChatController {
  readonly #door: ChatDoor;

  constructor(door: ChatDoor) {
    this.#door = door;
  }

  @Post('stream')
  async say(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#door.say(request, reply, callerOf(request));
  }

  @Get('stream/:id/stream')
  async resume(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') chatId: string): Promise<void> {
    await this.#door.resume(request, reply, { caller: callerOf(request), chatId });
  }

  @Post('stream/:id/stop')
  @HttpCode(202)
  async stop(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') chatId: string): Promise<void> {
    await this.#door.stop(reply, { caller: callerOf(request), chatId });
  }

  @Post('guest/stream')
  async guestSay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.#door.say(request, reply, asGuest(request, reply));
  }

  @Get('guest/stream/:id/stream')
  async guestResume(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') chatId: string): Promise<void> {
    await this.#door.resume(request, reply, { caller: asGuest(request, reply), chatId });
  }

  @Post('guest/stream/:id/stop')
  @HttpCode(202)
  async guestStop(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') chatId: string): Promise<void> {
    await this.#door.stop(reply, { caller: asGuest(request, reply), chatId });
  }

  @Get('conversations')
  async conversations(@Req() request: FastifyRequest): Promise<object> {
    return this.#door.conversations.list(callerOf(request));
  }

  @Get('conversations/:id')
  async conversation(@Req() request: FastifyRequest, @Param('id') chatId: string): Promise<object> {
    return this.#door.conversations.read(callerOf(request), conversationIdOf(callerOf(request), chatId));
  }

  @Delete('conversations/:id')
  @HttpCode(204)
  async remove(@Req() request: FastifyRequest, @Param('id') chatId: string): Promise<void> {
    await this.#door.remove(callerOf(request), chatId);
  }

  @Get('quota')
  async quota(@Req() request: FastifyRequest): Promise<object> {
    return this.#door.quota.shown(callerOf(request));
  }
}

function asGuest(request: FastifyRequest, reply: FastifyReply) {
  return (request.facts.caller = guestOf(request, reply));
}

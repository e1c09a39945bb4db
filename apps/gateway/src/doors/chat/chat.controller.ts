import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { conversationQuery, conversationsQuery, parseOrRefuse } from '#lib/contracts';
import { callerOf } from '../../http/caller-of.js';
import { queryOf } from '../../http/query.js';
import { Route, type RouteParameter } from '../../http/route.js';
import { ChatDoor } from './chat-door.js';
import { chatMessage, conversationIdOf } from './chat-request.js';
import { guestOf } from './guests.js';

/** The source's own path, and those under which its front-ends knew it (C-92). */
const prefixes = ['chat/v5', 'api/chat/v5', 'api/v1/chat/v5'];
/**
 * Chat clients send the whole conversation with every message.
 * @limit chats: bytes of the body of a message; PAYLOAD_TOO_LARGE
 */
const maxBodyBytes = 4 * 1024 * 1024;
/** A message of 16,000 characters has at most 64 KB; a visitor's page has no long conversation. */
const maxGuestBytes = 128 * 1024;
const chatId: RouteParameter = ['path', 'id', "The conversation's UUID, or the client's own name for it."];
const cursor: RouteParameter = ['query', 'cursor', 'next_cursor of the page before.'];

/** Chat: one message, what answers it as a stream, and what was said before. */
@Controller(prefixes)
export class ChatController {
  constructor(private readonly door: ChatDoor) {}

  @Route({
    maxBodyBytes,
    docs: { id: 'chat', summary: 'Say something, and stream the answer', tag: 'chat', body: chatMessage, media: 'text/event-stream' },
  })
  @Post('stream')
  async say(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.door.say(request, reply, callerOf(request));
  }

  @Route({
    docs: {
      id: 'resumeChat',
      summary: 'The running answer from its first chunk; 204 when none runs',
      tag: 'chat',
      parameters: [chatId],
      media: 'text/event-stream',
    },
  })
  @Get('stream/:id/stream')
  async resume(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') chatId: string): Promise<void> {
    await this.door.resume(request, reply, { caller: callerOf(request), chatId });
  }

  @Route({
    docs: { id: 'stopChat', summary: 'Stop the running answer; 204 when none runs', tag: 'chat', parameters: [chatId], status: 202 },
  })
  @Post('stream/:id/stop')
  @HttpCode(202)
  async stop(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') chatId: string): Promise<void> {
    await this.door.stop(reply, { caller: callerOf(request), chatId });
  }

  @Route({
    access: 'guest',
    points: 10,
    maxBodyBytes: maxGuestBytes,
    docs: {
      id: 'guestChat',
      summary: 'The same for a visitor: fewer tools and calls, limited by address',
      tag: 'chat',
      body: chatMessage,
      media: 'text/event-stream',
    },
  })
  @Post('guest/stream')
  async guestSay(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.door.say(request, reply, asGuest(request, reply));
  }

  @Route({
    access: 'guest',
    docs: {
      id: 'resumeGuestChat',
      summary: "A visitor's running answer from its first chunk; 204 when none runs",
      tag: 'chat',
      parameters: [chatId],
      media: 'text/event-stream',
    },
  })
  @Get('guest/stream/:id/stream')
  async guestResume(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') chatId: string): Promise<void> {
    await this.door.resume(request, reply, { caller: asGuest(request, reply), chatId });
  }

  @Route({
    access: 'guest',
    docs: {
      id: 'stopGuestChat',
      summary: "Stop a visitor's running answer; 204 when none runs",
      tag: 'chat',
      parameters: [chatId],
      status: 202,
    },
  })
  @Post('guest/stream/:id/stop')
  @HttpCode(202)
  async guestStop(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') chatId: string): Promise<void> {
    await this.door.stop(reply, { caller: asGuest(request, reply), chatId });
  }

  @Route({
    docs: {
      id: 'listConversations',
      summary: "The caller's conversations, the one that was written to last first",
      tag: 'chat',
      parameters: [cursor, ['query', 'limit', '1–1,000, 100 by default.']],
    },
  })
  @Get('conversations')
  async conversations(@Req() request: FastifyRequest): Promise<object> {
    return this.door.conversations.list(callerOf(request), parseOrRefuse(conversationsQuery, queryOf(request)));
  }

  @Route({
    docs: {
      id: 'getConversation',
      summary: 'A conversation with its latest messages, oldest first. The next page has those before them',
      tag: 'chat',
      parameters: [chatId, cursor, ['query', 'limit', 'Messages that have an answer, 1–1,000, 500 by default.']],
    },
  })
  @Get('conversations/:id')
  async conversation(@Req() request: FastifyRequest, @Param('id') chatId: string): Promise<object> {
    const query = parseOrRefuse(conversationQuery, queryOf(request));
    return this.door.conversations.read(callerOf(request), conversationIdOf(callerOf(request), chatId), query);
  }

  @Route({
    docs: {
      id: 'deleteConversation',
      summary: 'Delete a conversation, and stop its running answer',
      tag: 'chat',
      parameters: [chatId],
      status: 204,
    },
  })
  @Delete('conversations/:id')
  @HttpCode(204)
  async remove(@Req() request: FastifyRequest, @Param('id') chatId: string): Promise<void> {
    await this.door.remove(callerOf(request), chatId);
  }

  @Route({ docs: { id: 'chatQuota', summary: 'What the day has used and has left', tag: 'chat' } })
  @Get('quota')
  async quota(@Req() request: FastifyRequest): Promise<object> {
    return this.door.quota.shown(callerOf(request));
  }
}

function asGuest(request: FastifyRequest, reply: FastifyReply) {
  return (request.facts.caller = guestOf(request, reply));
}

import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import { isTurnToken } from '#lib/transport';
import { Route } from '../http/route.js';
import { callerOf } from './authentication.js';
import { Tickets, ticketSeconds } from './tickets.js';

@Controller('tickets')
export class TicketsController {
  readonly #tickets: Tickets;

  constructor(tickets: Tickets) {
    this.#tickets = tickets;
  }

  @Route({
    docs: { id: 'issueTicket', summary: 'A one-time ticket for an EventSource', tag: 'callers', body: { type: 'object' }, status: 201 },
  })
  @Post()
  async issue(@Req() request: FastifyRequest): Promise<object> {
    const [, credential = ''] = request.headers.authorization?.split(' ') ?? [];
    if (isTurnToken(credential))
      throw new Refusal('PERMISSION_DENIED', 'The credential of a chat turn gets no tickets; use the API key or JWT of the user');
    return { ticket: await this.#tickets.issue(callerOf(request)), expires_in: ticketSeconds };
  }
}

import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
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
    return { ticket: await this.#tickets.issue(callerOf(request)), expires_in: ticketSeconds };
  }
}

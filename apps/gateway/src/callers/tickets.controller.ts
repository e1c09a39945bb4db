import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import { Route } from '../http/route.js';
import { callerOf } from '../http/caller-of.js';
import { Tickets, ticketSeconds } from './tickets.js';

@Controller('tickets')
export class TicketsController {
  constructor(private readonly tickets: Tickets) {}

  @Route({
    docs: { id: 'issueTicket', summary: 'A one-time ticket for an EventSource', tag: 'callers', body: { type: 'object' }, status: 201 },
  })
  @Post()
  async issue(@Req() request: FastifyRequest): Promise<object> {
    const caller = callerOf(request);
    if (caller.turnId !== undefined)
      throw new Refusal('PERMISSION_DENIED', 'The credential of a chat turn gets no tickets; use the API key or JWT of the user');
    return { ticket: await this.tickets.issue(caller), expires_in: ticketSeconds };
  }
}

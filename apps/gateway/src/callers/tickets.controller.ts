import { Controller, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf } from './guard.js';
import { Tickets, ticketSeconds } from './tickets.js';

@Controller('tickets')
export class TicketsController {
  readonly #tickets: Tickets;

  constructor(tickets: Tickets) {
    this.#tickets = tickets;
  }

  @Post()
  async issue(@Req() request: FastifyRequest): Promise<object> {
    return { ticket: await this.#tickets.issue(callerOf(request)), expires_in: ticketSeconds };
  }
}

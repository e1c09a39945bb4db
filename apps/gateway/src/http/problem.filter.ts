import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '#lib/platform';
import { sendProblem } from './problem.js';

/** The last resort of every door. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    sendProblem(request, reply, { error: thrown, log: this.#log });
  }
}

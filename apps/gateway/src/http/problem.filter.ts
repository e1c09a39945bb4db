import { Catch, type ArgumentsHost, type ExceptionFilter, Inject } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '#lib/platform';
import { sendProblem } from './problem.js';
import { Stores } from '../stores.js';

/** Answers whatever a handler throws, in the error form of its route. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log: Logger;

  constructor(@Inject(Stores) { log }: { readonly log: Logger }) {
    this.#log = log;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), { error, log: this.#log });
  }
}

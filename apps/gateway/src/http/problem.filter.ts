import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import type { MethodTable } from './method-table.js';
import { sendProblem } from './problem.js';

/** The last resort of every door. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  readonly #log: Logger;
  readonly #methods: MethodTable;

  constructor(log: Logger, methods: MethodTable) {
    this.#log = log;
    this.#methods = methods;
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = request.is404 ? this.#noRoute(request) : thrown;
    sendProblem(request, reply, { error, log: this.#log });
  }

  #noRoute(request: FastifyRequest): Refusal {
    const allowed = this.#methods.allowed(request.url);
    if (allowed.length === 0) return new Refusal('RESOURCE_NOT_FOUND', 'There is nothing at this path; see GET /tools');
    const allow = allowed.join(', ');
    return new Refusal('METHOD_NOT_ALLOWED', `${request.method} is not allowed here; use ${allow}`, { extra: { allow } });
  }
}

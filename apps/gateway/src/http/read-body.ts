import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { parseOrRefuse } from '#lib/contracts';

/** The body of a request in the shape of its schema; no body is an empty object. Throws INVALID_PARAMS with a detail for every field. */
export function readBody<Schema extends z.ZodType>(request: Pick<FastifyRequest, 'body'>, schema: Schema): z.output<Schema> {
  return parseOrRefuse(schema, request.body ?? {});
}

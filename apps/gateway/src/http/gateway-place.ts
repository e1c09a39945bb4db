import type { FastifyRequest } from 'fastify';

/** How browsers reach this gateway, without a slash at its end. */
export function placeOf(request: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}

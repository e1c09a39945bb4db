import type { FastifyRequest } from 'fastify';

/** How browsers reach this gateway, without a slash at its end. */
export function placeOf(request: FastifyRequest, publicUrl: string | undefined): string {
  return publicUrl ?? `${request.protocol}://${request.host}`;
}

/** Where providers send browsers back to. */
export function redirectUriOf(place: string): string {
  return `${place}/connections/callback`;
}

/** Where the metadata document of our client is (CIMD); null where no provider could read it. */
export function clientDocumentOf(publicUrl: string | undefined): string | null {
  return publicUrl?.startsWith('https://') ? `${publicUrl}/connections/client.json` : null;
}

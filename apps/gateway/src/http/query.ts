import type { FastifyReply, FastifyRequest } from 'fastify';

/** Query parameters as text; a repeated one is a list. */
export function queryOf(request: Pick<FastifyRequest, 'query'>): Record<string, string | readonly string[]> {
  const query = request.query;
  if (typeof query !== 'object' || query === null) return {};
  return Object.fromEntries(
    Object.entries(query).filter((entry): entry is [string, string | string[]] => typeof entry[1] === 'string' || Array.isArray(entry[1])),
  );
}

/** Fires when the client disconnects before its answer is sent, or its request is ended from outside: nobody waits any more. It may have been so before. */
export function disconnected(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!reply.raw.writableFinished || reply.request.facts.isCutOff) controller.abort();
  };
  if (reply.raw.closed) onClose();
  else reply.raw.once('close', onClose);
  return controller.signal;
}

/** Where a reconnecting reader of a stream left off: `Last-Event-ID`, or `?lastEventId=` for those who cannot set it. */
export function resumePoint(request: FastifyRequest): string | null {
  const header = request.headers['last-event-id'];
  if (typeof header === 'string' && header !== '') return header;
  const query = request.query;
  const given = typeof query === 'object' && query !== null && 'lastEventId' in query ? query.lastEventId : undefined;
  return typeof given === 'string' && given !== '' ? given : null;
}

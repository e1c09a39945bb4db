import type { FastifyReply, FastifyRequest } from 'fastify';
import { languageIn, type Language } from '#lib/contracts';

/** What people are answered in. */
export function languageOf({ headers }: Pick<FastifyRequest, 'headers'>): Language {
  return languageIn(headers['accept-language']);
}

/** Says in which language an answer is, and that it is another one for other readers. */
export function noteLanguage(reply: FastifyReply, language: Language): void {
  void reply.headers({ 'content-language': language, vary: [reply.getHeader('vary'), 'accept-language'].join(', ') });
}

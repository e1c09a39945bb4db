import type { FastifyReply, FastifyRequest } from 'fastify';
import { languageIn, outcomeIn, type Language } from '#lib/contracts';
import type { Answer } from '../calls/answer.js';

/** What people are answered in. */
export function languageOf({ headers }: Pick<FastifyRequest, 'headers'>): Language {
  return languageIn(headers['accept-language']);
}

/** An answer in what its reader reads. Most have no word of ours in them, and then nobody looks at the header. */
export function answerFor(request: Pick<FastifyRequest, 'headers'>, answer: Answer): Answer {
  const { outcome } = answer;
  if (outcome.ok && !outcome.warnings?.length) return answer;
  return answerIn(languageOf(request), answer);
}

/** @see answerFor */
export function answerIn(language: Language, answer: Answer): Answer {
  return language === 'en' ? answer : { ...answer, outcome: outcomeIn(language, answer.outcome), facts: { ...answer.facts, language } };
}

/** Says in which language an answer is, and that it is another one for other readers. */
export function noteLanguage(reply: FastifyReply, language: Language): void {
  void reply.headers({ 'content-language': language, vary: [reply.getHeader('vary'), 'accept-language'].join(', ') });
}

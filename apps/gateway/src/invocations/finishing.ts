import type { Logger } from '#lib/platform';
import { secondLook, type Checker } from '../metacognition/metacognition.js';
import type { Answer } from './answers.js';
import type { Artefacts } from './artefacts.js';
import type { CallOptions } from './options.js';

interface FinishingParts {
  readonly artefacts: Pick<Artefacts, 'inlined'>;
  readonly checker: Checker;
  readonly log: Logger;
}

/** What a call's options ask to be added to its answer. */
export interface Wishes extends Pick<CallOptions, 'inline_files' | 'metacognition' | 'personality'> {
  /** The parameters; a `query` among them is what the answer is held to (TU-111). */
  readonly input: unknown;
}

const nothingMore: Wishes = { inline_files: true, metacognition: false, personality: undefined, input: null };

/** The stage after the outcome: what is added to an answer for those who asked, at every door that reads over HTTP. */
export class Finishing {
  readonly #parts: FinishingParts;

  constructor(parts: FinishingParts) {
    this.#parts = parts;
  }

  async finish(answer: Answer, wishes: Wishes = nothingMore): Promise<Answer> {
    const judged = wishes.metacognition ? await this.#judged(answer, wishes) : answer;
    return wishes.inline_files ? this.#parts.artefacts.inlined(judged) : judged;
  }

  async #judged(answer: Answer, { input, personality }: Wishes): Promise<Answer> {
    const { outcome, facts } = answer;
    if (!outcome.ok) return answer;
    const { checker, log } = this.#parts;
    const evaluated = { data: outcome.data, query: queryIn(input), personality: personality ?? null, now: new Date() };
    return { ...answer, facts: { ...facts, metacognition: await secondLook(checker, evaluated, log) } };
  }
}

function queryIn(input: unknown): string {
  const query: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'query') : '';
  return typeof query === 'string' ? query : '';
}

import type { Answer } from './answers.js';
import type { Artefacts } from './artefacts.js';
import type { CallOptions } from './options.js';

interface FinishingParts {
  readonly artefacts: Pick<Artefacts, 'inlined'>;
}

/** What a call's options ask to be added to its answer. */
export type Wishes = Pick<CallOptions, 'inline_files'>;

/** The stage after the outcome: what is added to an answer for those who asked, at every door that reads over HTTP. */
export class Finishing {
  readonly #parts: FinishingParts;

  constructor(parts: FinishingParts) {
    this.#parts = parts;
  }

  async finish(answer: Answer, wishes: Wishes = { inline_files: true }): Promise<Answer> {
    return wishes.inline_files ? this.#parts.artefacts.inlined(answer) : answer;
  }
}

import { fingerprint, type Catalog } from '#lib/contracts';
import type { InvocationHead } from '#lib/transport';
import type { SecondLooks } from '../metacognition/second-looks.js';
import type { Answer } from './answers.js';
import type { Artefacts } from './artefacts.js';
import { debugInfo } from './debug-info.js';
import type { CallOptions } from './options.js';

interface FinishingParts {
  readonly catalog: Catalog;
  readonly artefacts: Pick<Artefacts, 'inlined'>;
  readonly looks: SecondLooks;
  /** False in production: `debug` is not heard there. */
  readonly showDebug: boolean;
}

/** What a call's options ask to be added to its answer. */
export interface Wishes extends Pick<CallOptions, 'debug' | 'inline_files' | 'metacognition' | 'personality'> {
  /** The parameters; a `query` among them is what the answer is held to (TU-111). */
  readonly input: unknown;
}

/** What was asked for when the call was made, for those who read its answer later or elsewhere. */
export function wishesOf({ wishes, input }: Pick<InvocationHead, 'wishes' | 'input'>): Wishes {
  return { debug: false, metacognition: false, personality: undefined, inline_files: true, ...wishes, input };
}

/** The stage after the outcome: what is added to an answer for those who asked, the same at every door. */
export class Finishing {
  readonly #parts: FinishingParts;

  constructor(parts: FinishingParts) {
    this.#parts = parts;
  }

  async finish(answer: Answer, wishes: Wishes): Promise<Answer> {
    const judged = wishes.metacognition ? await this.#judged(answer, wishes) : answer;
    const explained = wishes.debug && this.#parts.showDebug ? this.#explained(judged) : judged;
    return wishes.inline_files ? this.#parts.artefacts.inlined(explained) : explained;
  }

  async #judged(answer: Answer, { input, personality }: Wishes): Promise<Answer> {
    const { outcome, facts } = answer;
    if (!outcome.ok || outcome.unchanged) return answer;
    const evaluated = { data: outcome.data, query: queryIn(input), personality: personality ?? null, now: new Date() };
    const run = facts.jobId === undefined ? null : { jobId: facts.jobId, asked: fingerprint([evaluated.query, evaluated.personality]) };
    return { ...answer, facts: { ...facts, metacognition: await this.#parts.looks.of(evaluated, run) } };
  }

  #explained(answer: Answer): Answer {
    const contract = this.#parts.catalog.find(answer.facts.toolName, answer.facts.toolVersion);
    return { ...answer, facts: { ...answer.facts, debugInfo: debugInfo(answer, contract) } };
  }
}

function queryIn(input: unknown): string {
  const query: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'query') : '';
  return typeof query === 'string' ? query : '';
}

import { Inject, Injectable } from '@nestjs/common';
import { fingerprint } from '#lib/contracts';
import type { CallHead } from '#lib/transport';
import { ReviewCache } from '../metacognition/review-cache.js';
import type { Answer } from './answer.js';
import { FileInliner } from './file-inliner.js';
import { debugInfo, showsDebug } from './debug-info.js';
import type { CallOptions } from './options.js';
import { ToolDirectory } from './tool-directory.js';
import { Stores } from '../stores.js';

/** What the options of a call ask to be added to its answer. */
export type AnswerOptions = Pick<CallOptions, 'debug' | 'inline_files' | 'metacognition' | 'personality'>;

/** The options that a call was made with, for readers of its answer who come later or by another door. */
export function answerOptionsOf({ wishes }: Pick<CallHead, 'wishes'>): AnswerOptions {
  return { debug: false, metacognition: false, personality: undefined, inline_files: true, ...wishes };
}

/** Adds to an answer what its caller asked for: a review, debug information, the bytes of small files. The same at every door. */
@Injectable()
export class AnswerEnricher {
  constructor(
    @Inject(Stores) private readonly stores: { readonly settings: Pick<Stores['settings'], 'NODE_ENV'> },
    private readonly tools: ToolDirectory,
    @Inject(FileInliner) private readonly fileInliner: Pick<FileInliner, 'inlined'>,
    private readonly reviews: ReviewCache,
  ) {}

  /** @param input the call's parameters; a `query` among them is what the answer is reviewed against (TU-111) */
  async enrich(answer: Answer, options: AnswerOptions, input: unknown): Promise<Answer> {
    const reviewed = options.metacognition ? await this.#reviewed(answer, options, input) : answer;
    const explained = options.debug && showsDebug(this.stores.settings) ? this.#explained(reviewed) : reviewed;
    return options.inline_files ? this.fileInliner.inlined(explained) : explained;
  }

  async #reviewed(answer: Answer, { personality }: AnswerOptions, input: unknown): Promise<Answer> {
    const { outcome, facts } = answer;
    if (!outcome.ok || outcome.unchanged) return answer;
    const evaluated = { data: outcome.data, query: queryIn(input), personality: personality ?? null, now: new Date() };
    const run = facts.jobId === undefined ? null : { jobId: facts.jobId, asked: fingerprint([evaluated.query, evaluated.personality]) };
    return { ...answer, facts: { ...facts, metacognition: await this.reviews.of(evaluated, run) } };
  }

  #explained(answer: Answer): Answer {
    const { toolName, toolVersion } = answer.facts;
    return { ...answer, facts: { ...answer.facts, debugInfo: debugInfo(answer, this.tools.catalog.find(toolName, toolVersion)) } };
  }
}

function queryIn(input: unknown): string {
  const query: unknown = typeof input === 'object' && input !== null ? Reflect.get(input, 'query') : '';
  return typeof query === 'string' ? query : '';
}

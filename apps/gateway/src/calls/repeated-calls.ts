import { Injectable } from '@nestjs/common';
import type { OkOutcome } from '#lib/contracts';
import type { CacheEntry } from '#lib/transport';
import { CallRules } from '../rules/call-rules.js';
import { envelopeTextOf } from './answer.js';
import { Answers } from './answers.js';
import type { RequestFacts } from './call-facts.js';
import { Limits } from './limits.js';
import { recordOwnCall } from './own-record.js';
import type { MessageId, RepeatableCall } from './repeatable-call.js';
import { ToolDirectory } from './tool-directory.js';
import { Stores } from '../stores.js';

export interface RepeatedAnswer {
  readonly text: string;
  readonly facts: RequestFacts;
}

interface PlainOutcome extends OkOutcome {
  readonly text: string;
}

/**
 * The pipeline for calls that it has seen before, word for word, while the cache has their answer. Its steps are the same; those whose result
 * cannot have changed are not taken again.
 */
@Injectable()
export class RepeatedCalls {
  /** Null for those whose answer is more than their data. An entry is read again within a second, and is another one then. */
  readonly #outcomes = new WeakMap<CacheEntry, PlainOutcome | null>();

  constructor(
    private readonly stores: Stores,
    private readonly tools: ToolDirectory,
    private readonly rules: CallRules,
    private readonly limits: Limits,
    private readonly answers: Answers,
  ) {}

  /**
   * Answers a call at once, and counts and records it. Null where anything has to be looked at: then nothing is counted.
   * @param begin begins the request, once it is all but sure that it is answered
   * @param id of the message that the call came in
   */
  answer(call: RepeatableCall, begin: () => RequestFacts, id: MessageId | null = null): RepeatedAnswer | null {
    const { recentAnswers, clock, reports } = this.stores;
    const now = clock.now();
    if (!this.#isAsBefore(call)) return null;
    const found = recentAnswers.find(call.key, now);
    const outcome = found && this.#plainOutcome(found.entry);
    if (!found || !outcome) return null;
    const facts = begin();
    const limited = facts.steps.note('limits', facts.steps.note('validation', facts.startedAt));
    facts.steps.note('cache', limited);
    const answer = this.answers.ofCachedOutcome(outcome, { contract: call.contract, ...found }, facts);
    const written = call.form ? call.form.write(answer, { facts, id }) : { text: envelopeTextOf(answer, outcome.text) };
    if (!written || !this.limits.spendAtOnce(call.caller, new Date(now))) return null;
    recordOwnCall(reports, { asked: call.asked, facts }, { outcome, cacheHit: true });
    written.onSent?.();
    return { text: written.text, facts };
  }

  /** Whether the words still mean this call, and no rule has to be asked. What cannot be known now is left to the pipeline. */
  #isAsBefore({ caller, contract, seen }: RepeatableCall): boolean {
    try {
      return this.tools.of(caller).catalog.tools === seen && !this.rules.concern(contract, caller);
    } catch {
      return false;
    }
  }

  #plainOutcome(entry: CacheEntry): PlainOutcome | null {
    const known = this.#outcomes.get(entry);
    if (known !== undefined) return known;
    const made = plainOutcome(entry);
    this.#outcomes.set(entry, made);
    return made;
  }
}

function plainOutcome({ outcome, body }: CacheEntry): PlainOutcome | null {
  if (!outcome.ok || body || outcome.sealed || outcome.unchanged || outcome.version !== undefined) return null;
  if (typeof outcome.data !== 'object' || outcome.data === null) return null;
  return { ...outcome, text: JSON.stringify(outcome.data) };
}

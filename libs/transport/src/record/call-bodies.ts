// A call as it is stored: what is too large for Redis is a file, and the record has the rest and the place of the file.
import { setTimeout } from 'node:timers/promises';
import type { EndState, Outcome } from '#lib/contracts';
import { FileStoreError, maxInlineBytes, type Bodies } from './bodies.js';
import { decode, encode, type CacheEntry, type Ending, type CallHead } from './codec.js';
import { openLifeMs, recordLifeMs } from '../redis/lives.js';

/** What every call costs in Redis besides its own texts: keys, lists, the job of the queue. */
export const callOverheadBytes = 3_072;
/** The longest text parameter that readers of a record need, in characters, and how many of them. */
const maxShortCharacters = 1_000;
const maxShortParameters = 16;
/** The most bytes of JSON that the parameters of an ended call have, and those of one that failed: it may be tried again. */
const maxEndedBytes = 4_096;
const maxFailedBytes = 16_384;
/** A worker's pause before it tries the file store again. */
const awayMs = 500;

/** How a call ends, as the worker says it. */
export interface CallEnd {
  readonly jobId: string;
  readonly ending: Ending;
  readonly cache?: { readonly lifeMs: number; readonly entry: CacheEntry } | undefined;
  /** The secrets of the outcome, encrypted, and how long they can be had. */
  readonly sealed?: { readonly text: string; readonly lifeMs: number } | undefined;
}

/** Stands for secrets that are in the file store. */
const inFile = 'file';

/** Takes what is too large for Redis out of calls and puts it back. Every method may throw FileStoreError. */
export class CallBodies {
  readonly #bodies: Bodies;

  constructor(bodies: Bodies) {
    this.#bodies = bodies;
  }

  /** The head of a new call with large parameters, as it is stored. @param from when the call may begin at the latest, epoch ms */
  async storedHead(jobId: string, head: CallHead, from: number): Promise<CallHead> {
    const body = await this.#bodies.keepIfLarge(jobId, encode.parameters(head.input), from + openLifeMs);
    return body ? { ...head, v: 2, input: shortParameters(head.input), body } : head;
  }

  /**
   * The end of a call, as it is stored.
   * @param hasEnded where given, a file store that is away is waited for, until somebody else has ended the call
   * @returns null when somebody has
   */
  async storedEnd(end: CallEnd, hasEnded: (() => Promise<boolean>) | null): Promise<CallEnd | null> {
    for (;;) {
      try {
        return await this.#storedEnd(end);
      } catch (error) {
        if (!hasEnded || !(error instanceof FileStoreError)) throw error;
        await setTimeout(awayMs);
        if (await hasEnded()) return null;
      }
    }
  }

  async #storedEnd({ jobId, ending, cache, sealed }: CallEnd): Promise<CallEnd> {
    const { finishedAt } = ending;
    const keep = async (text: string, lifeMs: number) => this.#bodies.keepIfLarge(jobId, text, finishedAt + lifeMs);
    const body = await keep(encode.outcome(ending.outcome), recordLifeMs);
    const cached = cache && (await keep(encode.outcome(cache.entry.outcome), cache.lifeMs));
    const secrets = sealed && (await keep(sealed.text, sealed.lifeMs));
    return {
      jobId,
      ending: { ...ending, ...(body && { outcome: shortOutcome(ending.outcome), body }), ...(secrets && { secrets }) },
      cache: cached ? { ...cache, entry: { ...cache.entry, outcome: shortOutcome(cache.entry.outcome), body: cached } } : cache,
      sealed: secrets ? { ...sealed, text: inFile } : sealed,
    };
  }

  /** The parameters, from wherever they are. */
  async parametersOf({ input, body }: CallHead): Promise<CallHead['input']> {
    return body ? decode.parameters(await this.#bodies.read(body)) : input;
  }

  /** The outcome, from wherever it is. Secrets stay sealed. */
  async outcomeOf({ outcome, body }: Pick<CacheEntry, 'outcome' | 'body'>): Promise<Outcome> {
    return body ? decode.outcome(await this.#bodies.read(body)) : outcome;
  }

  /** The encrypted secrets that are a file; null where they are not. */
  async secretsOf({ secrets }: Pick<Ending, 'secrets'>): Promise<string | null> {
    return secrets ? this.#bodies.read(secrets) : null;
  }

  /** Deletes the parameters of a call. */
  async dropParameters(head: CallHead | undefined): Promise<void> {
    await this.#bodies.drop(head?.body);
  }

  /** Deletes an end that nobody will read. */
  async dropEnd({ ending, cache }: { readonly ending: Ending | null; readonly cache?: CallEnd['cache'] }): Promise<void> {
    await this.#bodies.drop(ending?.body, ending?.secrets, cache?.entry.body);
  }
}

/** The bytes of parameters that are too large for Redis; 0 for others. @param encoded the head as text, of which they are a part */
export function largeParameterBytes({ input }: CallHead, encoded: string): number {
  if (Buffer.byteLength(encoded) <= maxInlineBytes) return 0;
  const bytes = Buffer.byteLength(encode.parameters(input));
  return bytes > maxInlineBytes ? bytes : 0;
}

/**
 * The head of an ended call, as text. Nobody runs it again, but people look at it: small parameters stay, and then it is the head that was
 * accepted. Of larger ones remains what its answer is reviewed against.
 */
export function endedHead(accepted: CallHead, state: EndState): { readonly text: string; readonly isWhole: boolean } {
  const { input, body, known, ...head } = accepted;
  const whole = encode.head({ ...head, input });
  // The parameters are a part of it.
  const most = state === 'failed' ? maxFailedBytes : maxEndedBytes;
  const isSmall = Buffer.byteLength(whole) <= most || Buffer.byteLength(encode.parameters(input)) <= most;
  if (isSmall && !body) return { text: whole, isWhole: known === undefined };
  const query = head.wishes?.metacognition ? input['query'] : undefined;
  const left = typeof query === 'string' ? { query: query.slice(0, maxShortCharacters) } : {};
  return { text: encode.head({ ...head, input: left, inputGone: true }), isWhole: false };
}

/** The parameters that are short: who is asked for, and how. Readers of the record of a large call have no others. */
function shortParameters(input: CallHead['input']): CallHead['input'] {
  const isShort = ([name, value]: [string, unknown]): boolean =>
    name.length <= maxShortCharacters &&
    (typeof value === 'string' ? value.length <= maxShortCharacters : typeof value !== 'object' || value === null);
  return Object.fromEntries(Object.entries(input).filter(isShort).slice(0, maxShortParameters));
}

/** An outcome without what can be large. */
function shortOutcome(outcome: Outcome): Outcome {
  if (!outcome.ok) {
    const { code, family, native_code, message, retry_after_ms } = outcome.error;
    return { ok: false, error: { code, family, native_code, message: message.slice(0, maxShortCharacters), retry_after_ms } };
  }
  const { sealed, version, unchanged } = outcome;
  return { ok: true, data: null, sealed, version, unchanged };
}

// The one place where text that is too long for its reader is cut (TU-54…56).
import { codePoints, truncate } from './code-points.js';
import { summarise } from './summarise.js';

export interface TextLimits {
  /** Code points for all long texts together. */
  readonly max_length: number;
  readonly return_summary: boolean;
}

/** Lengths in code points. */
export interface Truncation {
  readonly original_length: number;
  readonly returned_length: number;
  readonly summary?: string;
}

/** Shorter texts are names, ids and words of a closed list: they stay whole and count for nothing. */
const shortChars = 200;
/** For a summary no more is read. */
const summarisedChars = 200_000;

/** @returns the text, or the beginning of it with what was cut */
export function cutText(text: string, limits: TextLimits): { readonly text: string; readonly truncation: Truncation | null } {
  const budget = new TextBudget(limits);
  return { text: budget.take(text), truncation: budget.truncation() };
}

/**
 * The same for whatever an answer holds: its long texts share the limit in their order, and one that finds no room left is `…`.
 * Addresses stay whole, and so do bytes (`data` and `blob` beside a `mimeType`): half of them would be nothing.
 */
export function cutTexts(value: unknown, limits: TextLimits): { readonly value: unknown; readonly truncation: Truncation | null } {
  const budget = new TextBudget(limits);
  const short = Math.min(shortChars, limits.max_length);
  const within = (item: unknown): unknown => {
    if (typeof item === 'string') return item.length <= short || isAddress(item) ? item : budget.take(item) || '…';
    if (Array.isArray(item)) return item.map(within);
    if (typeof item !== 'object' || item === null) return item;
    const holdsBytes = 'mimeType' in item;
    return Object.fromEntries(
      Object.entries(item).map(([key, inner]: [string, unknown]) => [
        key,
        holdsBytes && (key === 'data' || key === 'blob') ? inner : within(inner),
      ]),
    );
  };
  return { value: within(value), truncation: budget.truncation() };
}

class TextBudget {
  readonly #limits: TextLimits;
  readonly #texts: string[] = [];
  #left: number;
  #original = 0;
  #returned = 0;

  constructor(limits: TextLimits) {
    this.#limits = limits;
    this.#left = limits.max_length;
  }

  take(text: string): string {
    const taken = truncate(text, this.#left);
    const length = codePoints(taken);
    this.#left -= length;
    this.#returned += length;
    this.#original += taken.length === text.length ? length : codePoints(text);
    this.#texts.push(text);
    return taken;
  }

  truncation(): Truncation | null {
    if (this.#returned === this.#original) return null;
    const lengths = { original_length: this.#original, returned_length: this.#returned };
    return this.#limits.return_summary ? { ...lengths, summary: summarise(this.#texts.join('\n').slice(0, summarisedChars)) } : lengths;
  }
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S+$/i.test(text);
}

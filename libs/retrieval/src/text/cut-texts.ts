// Cuts text that is too long for its reader (TU-54…56).
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

/** Texts up to this length are names, ids and enum values. They are not cut and not counted. */
const shortChars = 200;

/** Cuts one text to the limit. @returns the text or its beginning, and how much was cut (null when nothing) */
export function cutText(text: string, limits: TextLimits): { readonly text: string; readonly truncation: Truncation | null } {
  const budget = new TextBudget(limits);
  return { text: budget.take(text), truncation: budget.truncation() };
}

/**
 * Cuts the long texts of any JSON value. They share the limit in their order; a text for which nothing is left becomes `…`. URLs are not
 * cut, and neither are bytes (`data` and `blob` beside a `mimeType`), since a part of them would be useless.
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
    return this.#limits.return_summary ? { ...lengths, summary: summarise(this.#texts.join('\n')) } : lengths;
  }
}

function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S+$/i.test(text);
}

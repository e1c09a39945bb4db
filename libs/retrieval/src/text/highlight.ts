import { codePoints, truncate } from './code-points.js';
import { queryTerms } from './query-terms.js';
import { sentences } from './sentences.js';
import { tokens } from './tokens.js';

export interface Highlight {
  /** A stretch of the text around the best match. */
  readonly snippet: string;
  /** The matching words of the snippet as written there, in order, each once. */
  readonly matches: readonly string[];
}

/** The sentences from the best match on, at most `maxCodePoints` long. Without a match: the beginning of the text. */
export function highlight(text: string, query: string, maxCodePoints = 160): Highlight {
  const weights = new Map(queryTerms(query).map(({ term, weight }) => [term, weight]));
  const parts = sentences(text);
  let best = { index: 0, score: -1 };
  for (const [index, part] of parts.entries()) {
    const found = new Set<string>();
    for (const { term } of tokens(part.text)) if (weights.has(term)) found.add(term);
    const score = [...found].reduce((sum, term) => sum + (weights.get(term) ?? 0), 0);
    if (score > best.score) best = { index, score };
  }
  let snippet = '';
  let length = 0;
  for (const part of parts.slice(best.index)) {
    length += codePoints(part.text);
    if (snippet !== '' && length > maxCodePoints) break;
    snippet += part.text;
  }
  const shown = around(snippet, weights, maxCodePoints).trim();
  return { snippet: shown, matches: matchesIn(shown, weights) };
}

/** A text that is too long is cut to what is around its first match. */
function around(text: string, weights: ReadonlyMap<string, number>, most: number): string {
  if (codePoints(text) <= most) return text;
  const before = codePoints(text.slice(0, firstMatch(text, weights)));
  const skipped = Math.max(0, Math.min(before - Math.floor(most / 4), codePoints(text) - most));
  return truncate(text.slice(truncate(text, skipped).length), most);
}

/** The offset of the first match; 0 without one. */
function firstMatch(text: string, weights: ReadonlyMap<string, number>): number {
  for (const { term, start } of tokens(text)) if (weights.has(term)) return start;
  return 0;
}

/** Overlapping terms are one match: `碳水`, `水化`, `化合` and `合物` mark 碳水化合物. */
function matchesIn(text: string, weights: ReadonlyMap<string, number>): readonly string[] {
  const places = [...tokens(text)].filter(({ term }) => weights.has(term)).toSorted((a, b) => a.start - b.start || b.end - a.end);
  const merged: { start: number; end: number }[] = [];
  for (const { start, end } of places) {
    const last = merged.at(-1);
    if (last && start < last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return [...new Set(merged.map(({ start, end }) => text.slice(start, end)))];
}

import { codePoints, truncate } from './code-points.js';
import { sentences } from './sentences.js';
import { tokens } from './tokens.js';

/** How much is read, so that the time is bounded: some 40 ms at most, whatever the text is. */
const maxChars = 30_000;
const maxSentences = 2_000;
/** Sentences below this share of the best one's value are left out. */
const minShare = 0.3;

/**
 * An extractive summary: the sentences with the most frequent terms, in their original order. The value of a term is the number of
 * sentences that contain it, halved once a chosen sentence contains it. The value of a sentence is the mean of its terms, slightly higher
 * for early sentences. Deterministic. Empty only for a text without words.
 */
export function summarise(text: string, maxCodePoints = 200): string {
  const parts = sentences(text.slice(0, maxChars).toWellFormed())
    .slice(0, maxSentences)
    .map((part, place) => ({ text: part.text.replace(/^[#>*\-\s]+/, '').trim(), place, terms: new Set<string>() }));
  const spread = new Map<string, number>();
  for (const part of parts) {
    for (const { term, kind } of tokens(part.text)) if (kind !== 'joint') part.terms.add(term);
    for (const term of part.terms) spread.set(term, (spread.get(term) ?? 0) + 1);
  }
  const said = new Set<string>();
  const chosen: typeof parts = [];
  let room = maxCodePoints;
  let firstValue = 0;
  const left = new Set(parts.filter(({ terms }) => terms.size > 0));
  const value = ({ terms, place }: (typeof parts)[number]): number => {
    let sum = 0;
    for (const term of terms) sum += ((spread.get(term) ?? 0) - 0.9) * (said.has(term) ? 0.5 : 1);
    // The constant lowers the value of very short sentences, whose mean is unreliable.
    return (sum / (terms.size + 4)) * (1 + 1 / (2 + place));
  };
  while (left.size > 0 && chosen.length < 5) {
    const best = [...left].reduce((a, b) => (value(b) > value(a) ? b : a));
    if (chosen[0] && value(best) < firstValue * minShare) break;
    if (chosen.length === 0) firstValue = value(best);
    left.delete(best);
    const length = codePoints(best.text) + 1;
    if (length > room) {
      if (chosen.length > 0) continue;
      return truncate(best.text, maxCodePoints);
    }
    room -= length;
    chosen.push(best);
    for (const term of best.terms) said.add(term);
  }
  return chosen
    .toSorted((a, b) => a.place - b.place)
    .map((part) => part.text)
    .join(' ');
}

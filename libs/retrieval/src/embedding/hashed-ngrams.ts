import { queryTerms } from '../text/query-terms.js';
import { tokens, type TokenKind } from '../text/tokens.js';
import { unitLength, type Embedder } from './embedder.js';

/** Beside a whole word: each Chinese character of it, and all letter triples of it together. */
const characterWeight = 0.4;
const triplesWeight = 0.4;

/**
 * Vectors without a model: words, Chinese pairs and characters, and the letter triples of words, each hashed to a place and a sign.
 * It knows spelling, not meaning: forms of a word and slips lie near each other, synonyms do not. In a question what anybody says
 * counts little. Deterministic, offline, microseconds.
 * @param dimension features that share a place blur each other: with 384 places a third of what 960 find is lost. Two vectors of
 *   960 fit one page of Postgres.
 */
export function hashedNgrams(dimension = 960): Embedder {
  return {
    name: 'hashed-ngrams:v3',
    unrelated: 0.05,
    knows: 'spelling',
    dimension: () => Promise.resolve(dimension),
    embed: (texts, { kind }) =>
      Promise.resolve(texts.map((text) => (kind === 'query' ? ofQuestion(text, dimension) : ofDocument(text, dimension)))),
  };
}

function ofQuestion(text: string, dimension: number): Float32Array {
  return place(featuresOf(queryTerms(text)), dimension);
}

function ofDocument(text: string, dimension: number): Float32Array {
  const features = featuresOf(tokens(text));
  // Said ten times is not ten times as much about it.
  for (const [feature, weight] of features) features.set(feature, Math.log1p(weight));
  return place(features, dimension);
}

function featuresOf(terms: Iterable<{ readonly term: string; readonly kind: TokenKind; readonly weight?: number }>): Map<string, number> {
  const features = new Map<string, number>();
  const add = (feature: string, weight: number): void => void features.set(feature, (features.get(feature) ?? 0) + weight);
  for (const { term, kind, weight = 1 } of terms) {
    if (kind === 'single') add(`@${term}`, weight);
    // The pairs say the same as a long word; those where words meet are mostly accidents.
    else if (kind === 'pair') {
      add(term, weight);
      for (const character of term) add(`@${character}`, weight * characterWeight);
    } else if (kind === 'word' || kind === 'code') {
      add(term, weight);
      const edged = `^${term}$`;
      const share = (weight * triplesWeight) / Math.sqrt(Math.max(1, edged.length - 2));
      for (let at = 0; at + 3 <= edged.length; at++) add(`#${edged.slice(at, at + 3)}`, share);
    }
  }
  return features;
}

function place(features: ReadonlyMap<string, number>, dimension: number): Float32Array {
  const vector = new Float32Array(dimension);
  for (const [feature, weight] of features) {
    const hash = fnv1a(feature);
    const at = hash % dimension;
    vector[at] = (vector[at] ?? 0) + weight * (hash & 0x40000000 ? -1 : 1);
  }
  return unitLength(vector);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  // FNV's low bits are weak on short texts.
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return Math.imul(hash, 0x297a2d39) >>> 0;
}

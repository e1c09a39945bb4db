import { questionWords } from '../text/stop-words.js';
import { tokens, type TokenKind } from '../text/tokens.js';
import { unitLength, type Embedder } from './embedder.js';

const kindWeight: Readonly<Record<TokenKind, number>> = { word: 1, code: 1.5, pair: 1, joint: 0.3, long: 0.7, single: 0.5 };
const pieceWeight = 0.4;

/**
 * Vectors without a model: words, Chinese pairs and the letter triples of words, each hashed to a place and a sign. It knows
 * spelling, not meaning: forms of a word and slips lie near each other, synonyms do not. Deterministic, offline, microseconds.
 */
export function hashedNgrams(dimension = 384): Embedder {
  return {
    name: 'hashed-ngrams:v1',
    unrelated: 0.05,
    dimension: () => Promise.resolve(dimension),
    embed: (texts) => Promise.resolve(texts.map((text) => embedOne(text, dimension))),
  };
}

function embedOne(text: string, dimension: number): Float32Array {
  const weights = new Map<string, number>();
  const add = (feature: string, weight: number): void => void weights.set(feature, (weights.get(feature) ?? 0) + weight);
  for (const { term, kind, start, end } of tokens(text)) {
    if (questionWords.has(text.slice(start, end).toLowerCase())) continue;
    add(term, kindWeight[kind]);
    if (kind !== 'word' && kind !== 'code') continue;
    const edged = `^${term}$`;
    const share = pieceWeight / Math.sqrt(Math.max(1, edged.length - 2));
    for (let at = 0; at + 3 <= edged.length; at++) add(`#${edged.slice(at, at + 3)}`, share);
  }
  const vector = new Float32Array(dimension);
  for (const [feature, weight] of weights) {
    const hash = fnv1a(feature);
    const place = hash % dimension;
    // Said ten times is not ten times as much about it.
    const value = Math.log1p(weight) * (hash & 0x40000000 ? -1 : 1);
    vector[place] = (vector[place] ?? 0) + value;
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
  return Math.imul(hash, 0x2c1b3c6d) >>> 0;
}

import { describe, expect, test } from '@jest/globals';
import { hashedNgrams } from './hashed-ngrams.js';

function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number {
  return (a ?? new Float32Array()).reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0);
}

describe('hashed n-grams', () => {
  test('are of length one, the same each time, and near for forms and slips of the same words', async () => {
    const embedder = hashedNgrams();
    const [one, slip, form, other] = await embedder.embed(
      ['protein for muscles', 'protien for muscles', 'proteins and muscle', '睡眠不足'],
      {
        kind: 'document',
      },
    );
    expect(one).toHaveLength(await embedder.dimension());
    expect(cosine(one, one)).toBeCloseTo(1, 5);
    expect(cosine(one, slip)).toBeGreaterThan(0.5);
    expect(cosine(one, form)).toBeGreaterThan(0.5);
    expect(Math.abs(cosine(one, other))).toBeLessThan(0.2);
    expect((await hashedNgrams().embed(['protein for muscles'], { kind: 'document' }))[0]).toEqual(one);
    // In a question, words that every question has count little, and the order of the words does not count.
    const [asked] = await embedder.embed(['what is the best protein for my muscles, please tell me'], { kind: 'query' });
    expect(cosine(one, asked)).toBeGreaterThan(0.8);
  });
});

import { describe, expect, test } from '@jest/globals';
import { searchKnowledge as contract, toDefinition } from '#lib/contracts';
import type { ToolAnswer } from '../gateway-client.js';
import { hideParameters, searchCollections } from './knowledge-search.js';

const answerOf = (...scores: readonly number[]): ToolAnswer => ({
  ok: true,
  data: { query: 'q', results: scores.map((confidence_score) => ({ confidence_score })), total_count: scores.length * 10 },
});
const failed: ToolAnswer = { ok: false, error: { code: 'NETWORK_ERROR', message: 'away', retryable: true } };

/** Searches collections that answer as they are told to, and notes what each was asked. */
async function search(input: Readonly<Record<string, unknown>>, byCollection: Readonly<Record<string, ToolAnswer>>) {
  const asked: unknown[] = [];
  const answer = await searchCollections({
    input,
    collections: Object.keys(byCollection).filter((name) => name !== 'default'),
    call: async (query) => {
      asked.push(query);
      const { collection } = query;
      return byCollection[typeof collection === 'string' ? collection : 'default'] ?? failed;
    },
  });
  return { answer, asked };
}
const scores = (answer: ToolAnswer) => (answer.ok ? answer.data['results'] : null);

test('the model is shown the tool without the parameters that the skills decide', () => {
  const shown = hideParameters(toDefinition(contract)).parameters.properties ?? {};
  expect(Object.keys(shown)).toContain('query');
  expect(Object.keys(shown).filter((name) => ['collection', 'tags', 'type'].includes(name))).toEqual([]);
});

test('a definition without parameters stays as it is', () => {
  const definition = { ...toDefinition(contract), parameters: { type: 'object' as const } };
  expect(hideParameters(definition)).toBe(definition);
});

describe('a search', () => {
  test('without collections is one search where the tool looks by itself', async () => {
    const { answer, asked } = await search({ query: 'q' }, { default: answerOf(0.5) });
    expect(asked).toEqual([{ query: 'q' }]);
    expect(answer).toEqual(answerOf(0.5));
  });

  test('cannot leave the collections of the skills, whatever the model asks for', async () => {
    const { asked } = await search({ query: 'q', collection: 'secret', tags: ['x'], type: 'y' }, { bazi: answerOf(0.5) });
    expect(asked).toEqual([{ query: 'q', collection: 'bazi' }]);
  });

  test('of several collections has the most confident results of all, and counts all', async () => {
    const { answer } = await search({ query: 'q', max_results: 3 }, { a: answerOf(0.9, 0.2), b: answerOf(0.8, 0.7) });
    expect(scores(answer)).toEqual([0.9, 0.8, 0.7].map((confidence_score) => ({ confidence_score })));
    expect(answer).toMatchObject({ data: { query: 'q', total_count: 40 } });
  });

  test('has five results unless the model wants another number', async () => {
    const many = answerOf(0.9, 0.8, 0.7, 0.6);
    expect(scores((await search({ query: 'q' }, { a: many, b: many })).answer)).toHaveLength(5);
  });

  test.each([
    [{ a: failed, b: answerOf(0.5) }, true],
    [{ a: answerOf(0.5), b: failed }, true],
    [{ a: failed, b: failed }, false],
    [{ default: failed }, false],
  ])('fails only when all collections do', async (byCollection, ok) => {
    const { answer } = await search({ query: 'q' }, byCollection);
    expect(answer).toEqual(ok ? answerOf(0.5) : failed);
  });
});

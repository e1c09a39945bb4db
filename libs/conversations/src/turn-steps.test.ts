import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseSteps, toPastTurn, toStoredSteps, type TurnStep } from './turn-steps.js';

/** The gateway lets no tool give this key. */
const key = fc.string().filter((one) => one !== '__proto__');
const record = fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true });
const stepArbitrary: fc.Arbitrary<TurnStep> = fc.record({
  text: fc.string(),
  calls: fc.array(fc.record({ id: fc.string(), name: fc.string(), arguments: record }), { maxLength: 3 }),
  results: fc.array(fc.record({ type: fc.constant('tool_result' as const), id: fc.string(), name: fc.string(), result: record }), {
    maxLength: 3,
  }),
});
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const withResult = (result: Readonly<Record<string, unknown>>): TurnStep => ({
  text: '',
  calls: [],
  results: [{ type: 'tool_result', id: 'a', name: 'n', result }],
});
/** A result whose JSON has so many characters. */
const resultOf = (characters: number) => ({ a: 'x'.repeat(characters - '{"a":""}'.length) });

describe('stored steps', () => {
  test('are read back as they were written', () => {
    fc.assert(
      fc.property(fc.array(stepArbitrary, { maxLength: 3 }), (steps) => {
        expect(parseSteps(json(toStoredSteps(steps)))).toEqual(json(steps));
      }),
    );
  });

  test('carry nothing but what later turns are shown', () => {
    const step = { ...withResult({}), finishReason: 'stop', usage: { input_tokens: 1, output_tokens: 1 } };
    expect(Object.keys(toStoredSteps([step])[0] ?? {})).toEqual(['text', 'calls', 'results']);
  });

  test('are JSON, whatever a model or a tool gave', () => {
    const result = { missing: undefined, at: new Date(0), not: Number.NaN };
    expect(toStoredSteps([withResult(result)])[0]?.results[0]?.result).toEqual({ at: '1970-01-01T00:00:00.000Z', not: null });
  });

  test.each([
    [8_000, resultOf(8_000)],
    [8_001, { truncated: true, text: JSON.stringify(resultOf(8_001)).slice(0, 8_000) }],
  ])('a result of %i characters', (characters, stored) => {
    expect(toStoredSteps([withResult(resultOf(characters))])[0]?.results[0]?.result).toEqual(stored);
  });

  test('hold nothing that Postgres cannot store, whatever a model wrote', () => {
    const odd = 'a\0b\ud800c';
    const [step] = toStoredSteps([
      { text: odd, calls: [{ id: odd, name: odd, arguments: { [odd]: [odd, '\\u0000 \\ud800 😀'] } }], results: [] },
    ]);
    const mended = 'a\ufffdb\ufffdc';
    const calls = [{ id: mended, name: mended, arguments: { [mended]: [mended, '\\u0000 \\ud800 😀'] } }];
    expect(step).toEqual({ text: mended, calls, results: [] });
  });

  test('a cut never leaves half a character', () => {
    const [step] = toStoredSteps([withResult({ a: '𝒳'.repeat(5_000) }), withResult({ ab: '𝒳'.repeat(5_000) })]);
    expect(JSON.stringify(step)).not.toMatch(/\\ud[89ab]/i);
  });

  test.each([
    ['nothing', null],
    ['an object', {}],
    ['a step without results', [{ text: 'a', calls: [] }]],
    ['arguments that are no object', [{ text: 'a', calls: [{ id: 'a', name: 'n', arguments: 'x' }], results: [] }]],
    ['a result of another type', [{ text: 'a', calls: [], results: [{ type: 'other', id: 'a', name: 'n', result: {} }] }]],
  ])('%s is not steps', (_what, stored) => {
    expect(parseSteps(stored)).toBeNull();
  });
});

describe('a past turn', () => {
  const steps = [{ text: 'One.', calls: [], results: [] }];

  test.each([
    ['its steps', { content: 'One.', steps }, steps],
    ['its text where it has no steps', { content: 'Old.', steps: [] }, [{ text: 'Old.', calls: [], results: [] }]],
    ['its text where its steps cannot be read', { content: 'Old.', steps: [{ text: 1 }] }, [{ text: 'Old.', calls: [], results: [] }]],
  ])('has %s', (_what, turn, shown) => {
    expect(toPastTurn({ message: 'm', ...turn })).toEqual({ message: 'm', steps: shown });
  });

  test('without an answer is none', () => {
    expect(toPastTurn({ message: 'm', content: '', steps: [] })).toBeNull();
  });
});

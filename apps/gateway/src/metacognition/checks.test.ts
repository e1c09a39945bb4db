import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findingsOf } from './checks.js';
import { byRules, secondLook } from './metacognition.js';
import { overlap } from './texts.js';

const now = new Date('2026-11-21T12:00:00Z');
const checksOf = (data: unknown, query = '', personality: Record<string, unknown> | null = null) =>
  findingsOf({ data, query, personality, now }).map(({ check }) => check);

test.each([
  ['how do I reduce blood pressure?', 'Reducing salt lowers the pressure of blood', 0.6],
  ['高血压饮食建议', '高血压患者的饮食应当少盐', 0.6],
])('%j and %j speak of the same', (question, answer, atLeast) => {
  expect(overlap(question, answer)).toBeGreaterThanOrEqual(atLeast);
});

describe('an answer', () => {
  test('that has to do with the question is fine', () => {
    expect(
      checksOf({ results: [{ title: 'Salt and blood pressure', text: 'Less salt lowers blood pressure.' }] }, 'blood pressure salt'),
    ).toEqual([]);
    expect(checksOf({ results: [{ title: '八字五行', text: '日主喜用神的取法' }] }, '什么是喜用神')).toEqual([]);
  });

  test('about something else is unrelated', () => {
    expect(checksOf({ results: [{ title: 'Payout schedules', text: 'Payouts arrive weekly.' }] }, 'blood pressure and salt')).toEqual([
      'unrelated',
    ]);
    expect(checksOf({ results: [{ title: '星座运势', text: '白羊座本周' }], query: '高血压 饮食' }, '高血压 饮食')).toEqual(['unrelated']);
  });

  test.each([[{ results: [] }], [{ documents: [], total: 0 }], [{}], [null], [{ text: '  ' }]])('%j is empty', (data) => {
    expect(checksOf(data, 'anything')).toEqual(['empty']);
  });

  test('that was true long ago is stale', () => {
    expect(checksOf({ temperature: 3, observed_at: '2026-11-21T01:00:00Z' })).toEqual(['stale']);
    expect(checksOf({ temperature: 3, observed_at: '2026-11-21T11:00:00Z' })).toEqual([]);
    expect(
      checksOf({
        results: [
          { text: 'x', last_updated: '2020-01-01' },
          { text: 'y', last_updated: '2026-10-01' },
        ],
      }),
    ).toEqual([]);
  });

  test('whose summary has a number that no source has is unsupported', () => {
    const results = [{ text: 'The fee is 2.9 percent.' }];
    expect(checksOf({ summary: 'The fee is 2.9 percent', results })).toEqual([]);
    expect(checksOf({ summary: 'The fee is 3.5 percent', results })).toEqual(['unsupported']);
  });

  test('is held to the personality alone that was given', () => {
    expect(checksOf({ text: '这个方法绝对有效' })).toEqual([]);
    expect(checksOf({ text: '这个方法绝对有效' }, '', {})).toEqual(['tone']);
    expect(checksOf({ text: 'Great!!' }, '', { tone: 'calm' })).toEqual(['tone']);
    expect(checksOf({ text: 'only English' }, '', { language: 'zh' })).toEqual(['tone']);
    expect(checksOf({ text: 'a cure' }, '', { avoid: ['cure'] })).toEqual(['tone']);
  });

  test('of any shape is judged without a fault', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), fc.option(fc.dictionary(fc.string(), fc.jsonValue())), (data, query, personality) =>
        Array.isArray(checksOf(data, query, personality)),
      ),
    );
  });
});

test('a checker that fails spoils nothing', async () => {
  const warned: unknown[] = [];
  const log = { warn: (...said: unknown[]) => void warned.push(said) };
  const failing = () => Promise.reject(new Error('no model'));
  expect(await secondLook(failing, { data: {}, query: '', personality: null, now }, log)).toEqual({ checked: false });
  expect(warned).toHaveLength(1);
  expect(await secondLook(byRules, { data: { text: 'x' }, query: '', personality: null, now }, log)).toEqual({
    checked: true,
    needs_correction: false,
  });
});

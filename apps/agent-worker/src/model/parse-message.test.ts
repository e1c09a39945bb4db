import { expect, test } from '@jest/globals';
import { parseBirth, searchTerms } from './parse-message.js';

test.each([
  ['我是1990年5月20日早上8点半出生的男生', { birth_date: '1990-05-20', birth_time: '08:30', gender: 'male' }],
  ['1985-10-12 at 14:20, female', { birth_date: '1985-10-12', birth_time: '14:20', gender: 'female' }],
  ['2000/1/1 下午3点', { birth_date: '2000-01-01', birth_time: '15:00' }],
  ['1992-03-08出生', { birth_date: '1992-03-08' }],
  ['1992-13-08', null],
  ['你好', null],
])('%s tells the birth %j', (text, birth) => {
  expect(parseBirth(text)).toEqual(birth);
});

test.each([
  ['八字里的正官格是什么意思？', '八字 正官格'],
  ['月亮星座代表什么？', '月亮星座'],
  ['What is a trine?', 'a trine'],
  ['是什么？', '是什么？'],
])('%s is about "%s"', (text, terms) => {
  expect(searchTerms(text)).toBe(terms);
});

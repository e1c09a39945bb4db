import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { simplify, spellingsOf } from './chinese.js';

test.each([
  ['資料庫連線', '资料库连线'],
  ['骨質疏鬆症', '骨质疏松症'],
  ['裡面與裏面', '里面与里面'],
  ['简体 and English', '简体 and English'],
])('%s is written simply as %s', (text, simplified) => expect(simplify(text)).toBe(simplified));

test('the spellings of a term are those that become it', () => {
  expect(spellingsOf('数据')).toEqual(expect.arrayContaining(['数据', '數據', '數据', '数據']));
  expect(spellingsOf('干发')[0]).toBe('干发');
  expect(spellingsOf('sleep')).toEqual(['sleep']);
});

test('any text is as long as it was, and simple after one step', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...Array.from('資料庫連線干乾幹发發髮里裡裏𠮷a é')) }), (text) => {
      const once = simplify(text);
      expect([once.length, simplify(once)]).toEqual([text.length, once]);
      for (const spelling of spellingsOf(once.slice(0, 4))) expect(simplify(spelling)).toBe(once.slice(0, 4));
      expect(spellingsOf(once).length).toBeLessThanOrEqual(16);
    }),
  );
});

import { expect, test } from '@jest/globals';
import { cutWords } from './build-search.js';

test('Chinese texts of a page are cut as a browser cuts a question; tags, attributes and other texts stay', () => {
  expect(cutWords('<p title="星盘">先暂存，再 commit</p>')).toBe('<p title="星盘">先\u200B暂\u200B存，再 commit</p>');
});

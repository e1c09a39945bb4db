import { expect, test } from '@jest/globals';
import { templateOf } from './error-template.js';

test.each(["'".repeat(300), 'a1-'.repeat(100), '1'.repeat(300), 'a@'.repeat(150), `${'w '.repeat(100)}'${'"'.repeat(100)}`])(
  'a hostile message of 300 characters costs under 5 ms: %.20j…',
  (message) => {
    const start = performance.now();
    for (let n = 0; n < 100; n++) templateOf(message);
    expect((performance.now() - start) / 100).toBeLessThan(5);
  },
);

import { setTimeout } from 'node:timers/promises';
import { labLarge } from '../contracts/lab-large.js';
import { handle } from './services.js';

export const handleLabLarge = handle(labLarge, async ({ order, text, answer_characters: length, wait_ms: waitMs }, { error, signal }) => {
  if (text.startsWith('odd')) throw error('TOO_ODD', 'The text is odd');
  await setTimeout(waitMs, undefined, { signal });
  return { order, counted: text.length, text: '答'.repeat(length) };
});

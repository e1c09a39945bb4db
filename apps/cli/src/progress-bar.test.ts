import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { expect, test } from '@jest/globals';
import { ProgressBar } from './progress-bar.js';

/** A stream that looks like a terminal, or like a pipe, and keeps what is written. */
function streamThat(isTTY: boolean) {
  const stream = Object.assign(new PassThrough(), {
    isTTY,
    columns: 120,
    cursorTo: () => true,
    clearLine: () => true,
    moveCursor: () => true,
  });
  const text = (): string => String(stream.read() ?? '');
  // Only the parts of a terminal that a bar uses are there.
  return { stream: stream as unknown as WriteStream, text };
}

const shape = { format: '{bar} {percentage} % | {what}', total: 10, payload: { what: 'begin' } };

test('on a terminal it shows how far the work is, and disappears when it is stopped', () => {
  const { stream, text } = streamThat(true);
  const bar = new ProgressBar(stream, shape);
  expect([bar.isShown, text()]).toEqual([true, expect.stringMatching(/0 % \| begin/)]);
  bar.update(10, { what: 'end' });
  bar.stop();
  expect(bar.isShown).toBe(false);
  expect(text()).toMatch(/100 % \| end/);
});

test('a line above the bar stays, and the bar goes on below it with what it showed', () => {
  const { stream, text } = streamThat(true);
  const bar = new ProgressBar(stream, shape);
  bar.update(5, { what: 'half' });
  bar.print('line 7 is bad');
  expect(text()).toMatch(/line 7 is bad\n[^]*50 % \| half/);
  expect(bar.isShown).toBe(true);
  bar.stop();
});

test('on a pipe there are the lines alone', () => {
  const { stream, text } = streamThat(false);
  const bar = new ProgressBar(stream, shape);
  bar.update(5, { what: 'half' });
  bar.print('line 7 is bad');
  bar.stop();
  expect([bar.isShown, text()]).toEqual([false, 'line 7 is bad\n']);
});

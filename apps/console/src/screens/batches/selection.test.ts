import { expect, test } from '@jest/globals';
import { emptySelection, selectionOf } from './selection.js';

test('what is empty is left out, and times are of the clock of the reader', () => {
  expect(selectionOf(emptySelection)).toEqual({});
  expect(selectionOf({ tool: 'get_weather', code: ' TIMEOUT ', from: '2026-01-01T10:00', to: '' })).toEqual({
    tool: 'get_weather',
    code: 'TIMEOUT',
    from: new Date(2026, 0, 1, 10).toISOString(),
  });
});

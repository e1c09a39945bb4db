import { expect, test } from '@jest/globals';
import { passes } from './event-filters.js';
import { webhookEvent } from './outbox-event.js';

const event = webhookEvent('https://invoq.example', {
  type: 'call.failed',
  at: 0,
  data: { tool_name: 'get_weather', error: { code: 'TIMEOUT', native_code: null }, attempts_made: 3, user_id: null },
  links: {},
});

function asked(filter: string | null) {
  const faults: unknown[] = [];
  return { passes: passes(filter, event, (error) => faults.push(error)), faults: faults.length };
}

test.each<[string | null, boolean]>([
  [null, true],
  ['event.type == "call.failed"', true],
  ['event.type.startsWith("call.") && data.tool_name in ["get_weather", "other"]', true],
  ['event.data.error.code == "TIMEOUT"', true],
  ['data.attempts_made > 3', false],
  ['data.user_id != null', false],
  ['has(data.replay_of)', false],
  ['event.timestamp > "2026"', false],
])('%s lets it through: %j', (filter, expected) => {
  expect(asked(filter)).toEqual({ passes: expected, faults: 0 });
});

test.each(['data.nothing.here == 1', 'data.tool_name > 5', 'data.tool_name'])('%s cannot be worked out: the event is sent', (filter) => {
  expect(asked(filter)).toEqual({ passes: true, faults: 1 });
});

// Lua that several scripts use. A script names what it uses in `uses`; it stands after the script's keys and arguments.

/** `hasEnded(state)`: whether a record in this state will not change any more. */
export const hasEnded = `
local function hasEnded(state)
  return state == 'completed' or state == 'failed' or state == 'cancelled'
end`;

/** `addEvent(seq, event)`: one more entry of the log at that place. Needs the key `events` and the argument `now`. */
export const addEvent = `
local function addEvent(seq, event)
  redis.call('XADD', eventsKey, string.format('%d-0', seq), 'at', now, 'event', event)
end`;

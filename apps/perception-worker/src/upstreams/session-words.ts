const sessionWords =
  /session.{0,60}(not found|unknown|invalid|expired|missing|required|terminated|closed|not exist|no longer)|(no valid|unknown|invalid|missing|expired|stale|no such|no active) .{0,20}session|not initialized|uninitialized|before initialization/is;

/** Whether a server says, in its own words, that it does not know the session of a message. */
export function speaksOfSession(text: string): boolean {
  return sessionWords.test(text);
}

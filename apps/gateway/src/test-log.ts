/** For tests: a log in which a warning is a fault of the test. */
export const noFaults = {
  warn: (...line: unknown[]): void => {
    throw new Error(`a fault was seen: ${line.map(shown).join(' ')}`);
  },
};

function shown(part: unknown): string {
  return typeof part === 'object' && part !== null && 'err' in part ? String(part.err) : JSON.stringify(part);
}

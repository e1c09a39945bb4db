/** Tests that take half a minute or more, and those that measure time. */
const left = String.raw`\.(long|timing)\.test\.ts$`;

/**
 * What jest is called with. No arguments: all tests but the long ones and those of time. `--long`: these alone, with what else was asked.
 * Anything else is jest's own, so a file that is named runs, whatever its kind.
 */
export function jestArguments(asked: readonly string[]): { readonly args: readonly string[]; readonly isWholeRun: boolean } {
  if (asked.length === 0) return { args: ['--testPathIgnorePatterns', '/node_modules/', left], isWholeRun: true };
  const others = asked.filter((arg) => arg !== '--long');
  if (others.length === asked.length) return { args: asked, isWholeRun: false };
  return { args: ['--testPathPatterns', left, ...others], isWholeRun: others.length === 0 };
}

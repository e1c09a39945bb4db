import { CommandError } from '#lib/command-line';

const heading = '## [Unreleased]\n';
/** Of a version that has no release yet. */
const promise = /^\nThis will become [^\n]*\n/;

/**
 * The changelog after a release: what was unreleased belongs to the version, and nothing is unreleased.
 * @param day such as `2026-11-27`
 * @throws CommandError where nothing is unreleased, or the version has an entry
 */
export function releasedChangelog(text: string, version: string, day: string): string {
  if (text.includes(`## [${version}]`)) throw new CommandError(`CHANGELOG.md has an entry for ${version} already`);
  const [before, after, ...more] = text.split(heading);
  if (before === undefined || after === undefined || more.length > 0)
    throw new CommandError(`CHANGELOG.md must have one heading ${heading.trim()}`);
  const next = after.search(/^## \[/m);
  const [changes, earlier] = next === -1 ? [after, ''] : [after.slice(0, next), after.slice(next)];
  const told = changes.replace(promise, '').trim();
  if (!/^- /m.test(told)) throw new CommandError('CHANGELOG.md tells no change since the last release');
  return `${before}${heading}\n## [${version}] - ${day}\n\n${told}\n${earlier && `\n${earlier}`}`;
}

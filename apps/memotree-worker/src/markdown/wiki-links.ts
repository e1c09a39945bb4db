import { codeRanges } from '../text/code-ranges.js';

// In a table the bar of a link is escaped (`[[name\|words]]`), so a name may end in a backslash.
const wiki = /\[\[([^\][|#\n]*)(#[^\][|\n]*)?(?:\|([^\][\n]*))?\]\]/g;
const inline = /\[([^\][\n]*)\]\((?!\w+:)([^()\s]+)\)/g;
/** The part of an inline link's address that is not the file: a heading, or nothing. Separate from `inline`, which would backtrack. */
const endOfFile = /.\.md(?=#|$)/;
const id = /^(?:root|[0-9a-f]{12})$/;

export interface Resolved {
  readonly text: string;
  readonly links: number;
  readonly unresolved: readonly string[];
}

/** What a link refers to. `name` is empty for a heading of the same file; `heading` is empty or begins with `#`. */
export interface LinkTarget {
  readonly name: string;
  readonly heading: string;
}

/** A link by name (`[[Backoff|words]]`) or by file (`[words](backoff.md)`). */
export interface WrittenLink {
  readonly kind: 'wiki' | 'file';
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
  readonly target: LinkTarget;
  readonly words: string | undefined;
  /** The bar between name and words, escaped if it was escaped. */
  readonly bar: string;
}

/** The links of a text by name or by file, in order; none in code, and none by id. */
export function linksIn(text: string): readonly WrittenLink[] {
  const wikiLinks = [...text.matchAll(wiki)].flatMap(wikiLink);
  const fileLinks = [...text.matchAll(inline)].flatMap(fileLink);
  // The text is parsed for code only if it has links.
  if (wikiLinks.length + fileLinks.length === 0) return [];
  const code = codeRanges(text);
  const byName = without(wikiLinks, code, ({ start }) => start);
  const byFile = without(
    without(fileLinks, code, ({ start }) => start),
    byName,
    ({ end }) => end - 1,
  );
  return [...byName, ...byFile].toSorted((a, b) => a.start - b.start);
}

interface Range {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The links of which no part from the start to `last` is in one of the ranges. Both are in order. */
function without(links: readonly WrittenLink[], ranges: readonly Range[], last: (link: WrittenLink) => number): readonly WrittenLink[] {
  let at = 0;
  return links.filter((link) => {
    while ((ranges[at]?.end ?? Infinity) <= link.start) at += 1;
    return (ranges[at]?.start ?? Infinity) > last(link);
  });
}

/** Nothing for a link by id, and for empty brackets. */
function wikiLink(match: RegExpExecArray): readonly WrittenLink[] {
  const [, written = '', heading = '', words] = match;
  const isEscaped = words !== undefined && (heading || written).endsWith('\\');
  const bare = (part: string): string => part.replace(/\\$/, '').trim();
  const target = { name: bare(written), heading: bare(heading) };
  if (id.test(target.name) || target.name + target.heading === '') return [];
  return [{ kind: 'wiki', ...rangeOf(match), target, words, bar: isEscaped ? '\\|' : '|' }];
}

function fileLink(match: RegExpExecArray): readonly WrittenLink[] {
  const [, words, address = ''] = match;
  const file = endOfFile.exec(address);
  if (!file) return [];
  const end = file.index + file[0].length;
  const target = { name: decoded(address.slice(0, end)).replace(/\.md$/, ''), heading: decoded(address.slice(end)) };
  return [{ kind: 'file', ...rangeOf(match), target, words, bar: '|' }];
}

function rangeOf({ index, 0: whole }: RegExpExecArray): Range {
  return { start: index, end: index + whole.length };
}

/**
 * Replaces links by name or by file with links by id, which survive renaming: `[[Backoff]]` becomes `[[<id>|Backoff]]` (C-70).
 * Links that resolve to nothing stay as they are.
 * @param written the links of the text, from `linksIn`
 * @param find gives the id of a link's target
 */
export function resolveLinks(text: string, written: readonly WrittenLink[], find: (target: LinkTarget) => string | undefined): Resolved {
  const parts: string[] = [];
  const unresolved: string[] = [];
  let links = 0;
  let end = 0;
  for (const link of written) {
    const { target, words, bar } = link;
    // An address that leads to no file of ours is no link of ours.
    if (link.kind === 'file' && find({ ...target, heading: '' }) === undefined) continue;
    const found = find(target) ?? (target.name === '' ? undefined : find({ ...target, heading: '' }));
    if (found === undefined) {
      unresolved.push(target.name + target.heading);
      continue;
    }
    links += 1;
    parts.push(text.slice(end, link.start), `[[${found}${bar}${words ?? target.name + target.heading}]]`);
    end = link.end;
  }
  return { text: parts.join('') + text.slice(end), links, unresolved };
}

function decoded(path: string): string {
  try {
    // No name has U+0000, which Postgres refuses to look for.
    return decodeURIComponent(path).replaceAll('\0', '\ufffd');
  } catch {
    return path;
  }
}

/** The names that links use, so that they can be looked up before the links are resolved. */
export function linkedNames(links: readonly WrittenLink[]): readonly string[] {
  return links.flatMap(({ kind, target }) => (kind === 'wiki' && target.name !== '' ? [target.name] : []));
}

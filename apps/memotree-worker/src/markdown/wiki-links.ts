import { codeRanges } from '../text/code-ranges.js';

// A name may end in the backslash that keeps the bar after it from ending a cell of a table.
const wiki = /\[\[([^\][|#\n]*)(#[^\][|\n]*)?(?:\|([^\][\n]*))?\]\]/g;
const inline = /\[([^\][\n]*)\]\((?!\w+:)([^()\s]+?\.md)(#[^()\s]*)?\)/g;
const id = /^(?:root|[0-9a-f]{12})$/;

export interface Resolved {
  readonly text: string;
  readonly links: number;
  readonly unresolved: readonly string[];
}

/** What a link names. The name is empty for a heading of the same file; the heading has its `#`, or is empty. */
export interface LinkTarget {
  readonly name: string;
  readonly heading: string;
}

/**
 * Links by name or by file → links by id, which outlast renaming: `[[Backoff]]` becomes `[[<id>|Backoff]]`. What resolves to nothing
 * stays as it is, and so does code.
 * @param find gives the id of what a link names
 */
export function resolveLinks(text: string, find: (target: LinkTarget) => string | undefined): Resolved {
  let links = 0;
  const unresolved: string[] = [];
  const linked = ({ whole, target, words, bar }: WrittenLink): string => {
    const found = find(target) ?? (target.name === '' ? undefined : find({ ...target, heading: '' }));
    if (found === undefined) {
      unresolved.push(target.name + target.heading);
      return whole;
    }
    links += 1;
    return `[[${found}${bar}${words ?? target.name + target.heading}]]`;
  };
  const inWiki = replaceEach(text, wiki, (match) => {
    const link = wikiLink(match);
    return link ? linked(link) : match[0];
  });
  const resolved = replaceEach(inWiki, inline, ([whole, words, path = '', heading = '']) => {
    const target = { name: decoded(path).replace(/\.md$/, ''), heading: decoded(heading) };
    return find({ ...target, heading: '' }) === undefined ? whole : linked({ whole, target, words, bar: '|' });
  });
  return { text: resolved, links, unresolved };
}

interface WrittenLink {
  readonly whole: string;
  readonly target: LinkTarget;
  readonly words: string | undefined;
  /** `|`, escaped where it was. */
  readonly bar: string;
}

/** Null for what is no link by name: one by id, or nothing between the brackets. */
function wikiLink([whole, written = '', heading = '', words]: RegExpExecArray): WrittenLink | null {
  const isEscaped = words !== undefined && (heading || written).endsWith('\\');
  const bare = (part: string): string => part.replace(/\\$/, '').trim();
  const target = { name: bare(written), heading: bare(heading) };
  if (id.test(target.name) || target.name + target.heading === '') return null;
  return { whole, target, words, bar: isEscaped ? '\\|' : '|' };
}

function replaceEach(text: string, pattern: RegExp, replace: (match: RegExpExecArray) => string): string {
  const parts: string[] = [];
  let end = 0;
  let code: readonly { readonly start: number; readonly end: number }[] | undefined;
  for (const match of text.matchAll(pattern)) {
    code ??= codeRanges(text);
    if (code.some((range) => range.start <= match.index && match.index < range.end)) continue;
    parts.push(text.slice(end, match.index), replace(match));
    end = match.index + match[0].length;
  }
  return parts.join('') + text.slice(end);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Names that a text links to, for looking them up beforehand. */
export function linkedNames(text: string): readonly string[] {
  return [...text.matchAll(wiki)].flatMap((match) => {
    const name = wikiLink(match)?.target.name;
    return name ? [name] : [];
  });
}

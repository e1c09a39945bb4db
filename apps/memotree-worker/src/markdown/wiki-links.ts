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

/**
 * Replaces links by name or by file with links by id, which survive renaming: `[[Backoff]]` becomes `[[<id>|Backoff]]` (C-70).
 * Links that resolve to nothing stay as they are, and so does code.
 * @param find gives the id of a link's target
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
  const resolved = replaceEach(inWiki, inline, ([whole, words, address = '']) => {
    const file = endOfFile.exec(address);
    if (!file) return whole;
    const end = file.index + file[0].length;
    const [path, heading] = [address.slice(0, end), address.slice(end)];
    const target = { name: decoded(path).replace(/\.md$/, ''), heading: decoded(heading) };
    return find({ ...target, heading: '' }) === undefined ? whole : linked({ whole, target, words, bar: '|' });
  });
  return { text: resolved, links, unresolved };
}

interface WrittenLink {
  readonly whole: string;
  readonly target: LinkTarget;
  readonly words: string | undefined;
  /** The bar between name and words, escaped if it was escaped. */
  readonly bar: string;
}

/** Null for a link by id, and for empty brackets. */
function wikiLink([whole, written = '', heading = '', words]: RegExpExecArray): WrittenLink | null {
  const isEscaped = words !== undefined && (heading || written).endsWith('\\');
  const bare = (part: string): string => part.replace(/\\$/, '').trim();
  const target = { name: bare(written), heading: bare(heading) };
  if (id.test(target.name) || target.name + target.heading === '') return null;
  return { whole, target, words, bar: isEscaped ? '\\|' : '|' };
}

/** Replaces every match outside of code. The text is parsed for code only if there is a match. */
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

/** Names that a text links to, so that they can be looked up before the links are resolved. */
export function linkedNames(text: string): readonly string[] {
  return [...text.matchAll(wiki)].flatMap((match) => {
    const name = wikiLink(match)?.target.name;
    return name ? [name] : [];
  });
}

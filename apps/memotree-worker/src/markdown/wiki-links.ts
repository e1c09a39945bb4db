const wiki = /\[\[([^\][|#\n]+)(#[^\][|\n]*)?(?:\|([^\][\n]*))?\]\]/g;
const inline = /\[([^\][\n]*)\]\((?!\w+:)([^()\s]+?\.md)(#[^()\s]*)?\)/g;
const id = /^(?:root|[0-9a-f]{12})$/;

export interface Resolved {
  readonly text: string;
  readonly links: number;
  readonly unresolved: readonly string[];
}

/**
 * Links by name or by file → links by id, which outlast renaming: `[[Backoff]]` becomes `[[<id>|Backoff]]`. What resolves to nothing
 * stays as it is.
 * @param find gives the id of a name as it is written
 */
export function resolveLinks(text: string, find: (name: string) => string | undefined): Resolved {
  let links = 0;
  const unresolved: string[] = [];
  const linked = ({ whole, name, heading, words }: WrittenLink): string => {
    if (id.test(name)) return whole;
    const target = (heading && find(name + heading)) || find(name);
    if (target === undefined) {
      unresolved.push(name);
      return whole;
    }
    links += 1;
    return `[[${target}|${words ?? name + heading}]]`;
  };
  const inWiki = replaceEach(text, wiki, ([whole, name = '', heading = '', words]) => linked({ whole, name: name.trim(), heading, words }));
  const resolved = replaceEach(inWiki, inline, ([whole, words, path = '', heading = '']) => {
    const name = decoded(path).replace(/\.md$/, '');
    return find(name) === undefined ? whole : linked({ whole, name, heading, words });
  });
  return { text: resolved, links, unresolved };
}

interface WrittenLink {
  readonly whole: string;
  readonly name: string;
  /** With its `#`; empty without one. */
  readonly heading: string;
  readonly words: string | undefined;
}

function replaceEach(text: string, pattern: RegExp, replace: (match: RegExpExecArray) => string): string {
  const parts: string[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
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
  const names = [...text.matchAll(wiki)].map(([, name = '']) => name.trim());
  return names.filter((name) => !id.test(name));
}

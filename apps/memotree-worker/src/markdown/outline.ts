// Turns Markdown files into a tree of pages: folders, files, and the headings inside of files.
import { memotreeLimits as limits } from '#lib/contracts';
import { codePoints, truncate } from '#lib/retrieval';
import { Rejection } from '../rejection.js';
import { sectionsOf, type Section } from '../text/sections.js';
import { readPage, type Page } from './front-matter.js';
import { linksIn, type WrittenLink } from './wiki-links.js';

export interface OutlineNode {
  /** The path without `.md`, with the headings that lead to it: `queue/retries`, `queue/retries#Limits`. For messages and links. */
  readonly source: string;
  readonly title: string;
  /** Null for a folder without a page: what the node of this name holds stays. */
  readonly content: string | null;
  /** The links in the content by name or by file. */
  readonly links: readonly WrittenLink[];
  /** Further names that links may use. */
  readonly aliases: readonly string[];
  readonly own: Page['own'];
  readonly children: readonly OutlineNode[];
}

interface File {
  readonly path: string;
  readonly text: string;
}

interface FolderEntry {
  readonly name: string;
  readonly source: string;
  file: File | null;
  readonly children: Map<string, FolderEntry>;
}

/**
 * Builds the tree (MT-57). A file `x.md` beside the folder `x` is the page of that folder, as in other tools.
 * @param headings whether headings become nodes; without them a file is one node
 * @throws Rejection INVALID_PARAMS if two files have the same path
 */
export function outlineOf(files: readonly File[], headings: boolean): readonly OutlineNode[] {
  const top: FolderEntry = { name: '', source: '', file: null, children: new Map() };
  for (const file of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const parts = file.path.replace(/\.md$/i, '').split('/');
    let at = top;
    for (const [index, name] of parts.entries()) {
      const source = parts.slice(0, index + 1).join('/');
      const next = at.children.get(name) ?? { name, source, file: null, children: new Map() };
      at.children.set(name, next);
      at = next;
    }
    if (at.file) throw new Rejection('INVALID_PARAMS', `There are two files '${file.path}'`);
    at.file = file;
  }
  return ordered([...top.children.values()].map((one) => toOutlineNode(one, headings)));
}

function toOutlineNode({ name, source, file, children }: FolderEntry, headings: boolean): OutlineNode {
  const below = ordered([...children.values()].map((child) => toOutlineNode(child, headings)));
  if (!file) return { source, title: fitTitle(name), content: null, links: [], aliases: [], own: {}, children: below };
  const { own, aliases, body } = readPage(file.text);
  // A page with an id was exported by us: all of its text is one node, headings included.
  if (!headings || own.id !== undefined)
    return { source, title: own.title ?? fitTitle(name), content: body, links: linksIn(body), aliases, own, children: below };
  const { preamble, sections } = sectionsOf(body);
  const [first, ...rest] = sections;
  const isTitled =
    first && first.depth === 1 && preamble.replace(/^---[\s\S]*?\n---\n/, '').trim() === '' && !rest.some(({ depth }) => depth === 1);
  const title = own.title ?? (isTitled && first.heading !== '' ? fitTitle(first.heading) : fitTitle(name));
  const content = isTitled ? (preamble + bodyOf(first)).trim() : preamble.trim();
  return {
    source,
    title,
    content,
    links: linksIn(content),
    aliases,
    own,
    children: [...nestHeadings(isTitled ? rest : sections, source), ...below],
  };
}

/** Sorts by the `order` of the front matter. Pages without one keep the order of their paths, after the others. */
function ordered(nodes: readonly OutlineNode[]): readonly OutlineNode[] {
  return nodes.toSorted((a, b) => (a.own.order ?? Infinity) - (b.own.order ?? Infinity) || 0);
}

/** Nests sections by depth: a heading encloses the deeper headings that follow it. */
function nestHeadings(sections: readonly Section[], source: string): readonly OutlineNode[] {
  const nodes: OutlineNode[] = [];
  for (let at = 0; at < sections.length;) {
    const section = sections[at];
    if (!section) break;
    let end = at + 1;
    while ((sections[end]?.depth ?? 0) > section.depth) end += 1;
    const own = `${source}#${section.heading}`;
    const content = bodyOf(section).trim();
    nodes.push({
      source: own,
      title: fitTitle(section.heading),
      content,
      links: linksIn(content),
      aliases: [],
      own: {},
      children: nestHeadings(sections.slice(at + 1, end), own),
    });
    at = end;
  }
  return nodes;
}

/** The text of a section without its heading. */
function bodyOf({ text }: Section): string {
  // An underlined heading takes two lines.
  return text.replace(/^ {0,3}#{1,6}.*(?:\n|$)|^.*\n {0,3}(?:=+|-+)[ \t]*(?:\n|$)/, '');
}

/** Cuts a title at the most characters that a node's title may have. */
function fitTitle(title: string): string {
  return codePoints(title) <= limits.titleChars ? title : `${truncate(title, limits.titleChars - 1)}…`;
}

/** Every node of the tree, parents before their children. */
export function* walkOutline(nodes: readonly OutlineNode[]): Generator<OutlineNode> {
  for (const node of nodes) {
    yield node;
    yield* walkOutline(node.children);
  }
}

/** The number of nodes on the longest path down; 0 for an empty list. */
export function heightOf(nodes: readonly OutlineNode[]): number {
  return nodes.reduce((most, node) => Math.max(most, 1 + heightOf(node.children)), 0);
}

// The Markdown files below a folder, in portions that fit into one call, and what was left out and why.
import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';
import { filesBelow } from '../files-below.js';

export interface MarkdownFile {
  readonly path: string;
  readonly text: string;
}

export interface MarkdownFolder {
  readonly files: readonly MarkdownFile[];
  /** Markdown files that cannot be imported, with the reason. */
  readonly refused: readonly string[];
  /** The number of files that are no Markdown, by ending. */
  readonly others: ReadonlyMap<string, number>;
}

const maxChars = 1_000_000;
/** Of a MemoTree. One that is deeper would be refused with all other files. */
const mostSteps = 20;

/** Folders whose name begins with a dot belong to other programs (`.obsidian`, `.git`) and are left out, as is `node_modules`. */
export function readMarkdownFolder(folder: string): MarkdownFolder {
  const files: MarkdownFile[] = [];
  const refused: string[] = [];
  const others = new Map<string, number>();
  const { files: paths, links } = filesBelow(folder);
  for (const link of links) refused.push(`${link}: is a link; what it leads to is not read`);
  for (const path of paths) {
    const ending = extname(path).toLowerCase();
    if (ending !== '.md') {
      others.set(ending || 'no ending', (others.get(ending || 'no ending') ?? 0) + 1);
      continue;
    }
    const steps = path.split(sep).length;
    const read = steps > mostSteps ? { why: `is ${steps} steps deep; ${mostSteps} are allowed` } : readText(join(folder, path));
    if ('why' in read) refused.push(`${path}: ${read.why}`);
    else files.push({ path: path.split(sep).join('/'), text: read.text });
  }
  return { files, refused, others };
}

function readText(file: string): { readonly text: string } | { readonly why: string } {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return { why: error instanceof Error ? error.message : 'cannot be read' };
  }
  if (!isUtf8(bytes)) return { why: 'is not UTF-8' };
  // Removes a byte order mark.
  const text = new TextDecoder().decode(bytes);
  if (text.includes('\0')) return { why: 'contains U+0000, so it is no text' };
  if (text.length > maxChars) return { why: `has ${text.length} characters; ${maxChars} are allowed` };
  return { text };
}

interface PortionLimits {
  /** Of the JSON of its files. */
  readonly bytes: number;
  readonly files: number;
}

/**
 * In the order of the tree: a page, then what is in the folder of its name. Siblings with an `order` in their front matter, as an export
 * writes it, come first, by it. So what comes in a later portion also stands later.
 */
export function inTreeOrder(files: readonly MarkdownFile[]): readonly MarkdownFile[] {
  const orders = new Map(files.map(({ path, text }) => [withoutEnding(path), orderIn(text)]));
  const keysOf = ({ path }: MarkdownFile) => {
    const parts = withoutEnding(path).split('/');
    return parts.map((name, index) => ({ name, order: orders.get(parts.slice(0, index + 1).join('/')) ?? Infinity }));
  };
  const keyed = files.map((file) => ({ file, keys: keysOf(file) }));
  return keyed.toSorted((a, b) => compared(a.keys, b.keys)).map(({ file }) => file);
}

type Key = { readonly name: string; readonly order: number };

function compared(left: readonly Key[], right: readonly Key[]): number {
  for (const [index, a] of left.entries()) {
    const b = right[index];
    if (!b) return 1;
    if (a.name !== b.name) return a.order === b.order ? (a.name < b.name ? -1 : 1) : a.order - b.order;
  }
  return left.length - right.length;
}

function orderIn(text: string): number {
  const [, frontMatter = ''] = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---/.exec(text) ?? [];
  const [, order] = /^order:[ \t]*(\d+)[ \t]*$/m.exec(frontMatter) ?? [];
  return order === undefined ? Infinity : Number(order);
}

function withoutEnding(path: string): string {
  return path.replace(/\.md$/i, '');
}

/**
 * In order, each as full as the limits allow. A file that is larger than the limit is a portion of its own. Before the first file of a
 * portion stand the pages of the folders that it is in, which say where it belongs.
 */
export function inPortions(files: readonly MarkdownFile[], limits: PortionLimits): readonly (readonly MarkdownFile[])[] {
  const pages = new Map(files.map((file) => [withoutEnding(file.path), file]));
  const portions: MarkdownFile[][] = [];
  let bytes = 0;
  let count = 0;
  for (const file of files) {
    const size = sizeOf(file);
    const last = portions.at(-1);
    if (last && bytes + size <= limits.bytes && count < limits.files) {
      last.push(file);
      bytes += size;
      count += 1;
      continue;
    }
    const above = pagesAbove(file, { pages, most: limits.bytes / 2 });
    portions.push([...above, file]);
    bytes = above.reduce((sum, one) => sum + sizeOf(one), size);
    count = 1;
  }
  return portions;
}

/** The pages of the folders that a file is in, as far as there is room: the outermost first. */
function pagesAbove({ path }: MarkdownFile, { pages, most }: { pages: ReadonlyMap<string, MarkdownFile>; most: number }): MarkdownFile[] {
  const folders = path.split('/').slice(0, -1);
  let left = most;
  return folders.flatMap((_, index) => {
    const page = pages.get(folders.slice(0, index + 1).join('/'));
    if (!page || sizeOf(page) > left) return [];
    left -= sizeOf(page);
    return [page];
  });
}

/** Of the JSON of a file: quotes, backslashes and line ends take two bytes there. */
function sizeOf(file: MarkdownFile): number {
  return Buffer.byteLength(JSON.stringify(file));
}

// The Markdown files below a folder, in portions that fit into one call, and what was left out and why.
import { isUtf8 } from 'node:buffer';
import { globSync, lstatSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

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

/** Folders whose name begins with a dot belong to other programs (`.obsidian`, `.git`) and are left out, as is `node_modules`. */
export function readMarkdownFolder(folder: string): MarkdownFolder {
  const files: MarkdownFile[] = [];
  const refused: string[] = [];
  const others = new Map<string, number>();
  const paths = globSync('**/*', { cwd: folder, exclude: (name) => name.startsWith('.') || name === 'node_modules' }).toSorted();
  for (const path of paths) {
    if (!lstatSync(join(folder, path)).isFile()) continue;
    const ending = extname(path).toLowerCase();
    if (ending !== '.md') {
      others.set(ending || 'no ending', (others.get(ending || 'no ending') ?? 0) + 1);
      continue;
    }
    const read = readText(join(folder, path));
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

/** In order, each as full as the limits allow. A file that is larger than the limit is a portion of its own. */
export function inPortions(files: readonly MarkdownFile[], limits: PortionLimits): readonly (readonly MarkdownFile[])[] {
  const portions: MarkdownFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    // Quotes, backslashes and line ends take two bytes in JSON.
    const size = Buffer.byteLength(JSON.stringify(file));
    const last = portions.at(-1);
    if (!last || bytes + size > limits.bytes || last.length >= limits.files) {
      portions.push([file]);
      bytes = size;
    } else {
      last.push(file);
      bytes += size;
    }
  }
  return portions;
}

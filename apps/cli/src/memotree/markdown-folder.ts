// The Markdown files below a folder, in portions that one call may carry, and what was left out and why.
import { globSync, lstatSync, readFileSync } from 'node:fs';
import { extname, join, sep } from 'node:path';

export interface MarkdownFile {
  readonly path: string;
  readonly text: string;
}

export interface MarkdownFolder {
  readonly files: readonly MarkdownFile[];
  /** Markdown that cannot come in, with the reason. */
  readonly refused: readonly string[];
  /** How many files are no Markdown, by ending. */
  readonly others: ReadonlyMap<string, number>;
}

const mostChars = 1_000_000;

/** Folders whose name begins with a dot are the business of the program that made them (`.obsidian`, `.git`). */
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
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file));
    if (text.includes('\0')) return { why: 'holds U+0000, so it is no text' };
    if (text.length > mostChars) return { why: `has ${text.length} characters; ${mostChars} are allowed` };
    return { text };
  } catch (error) {
    return { why: error instanceof TypeError ? 'is not UTF-8' : error instanceof Error ? error.message : 'cannot be read' };
  }
}

interface Limits {
  readonly bytes: number;
  readonly files: number;
}

export function inPortions(files: readonly MarkdownFile[], limits: Limits): readonly (readonly MarkdownFile[])[] {
  const portions: MarkdownFile[][] = [];
  let bytes = 0;
  for (const file of files) {
    // As JSON writes it: quotes, backslashes and line ends take two.
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

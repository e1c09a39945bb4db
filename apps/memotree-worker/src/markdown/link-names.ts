// The names by which links may refer to a node: its path, its file name, an alias, its title, or one of its headings.
import type { OutlineNode } from './outline.js';
import type { LinkTarget } from './wiki-links.js';

interface NamedNode {
  readonly node: Pick<OutlineNode, 'source' | 'title' | 'aliases'>;
  readonly nodeId: string;
}

export class LinkNames {
  readonly #byPath = new Map<string, string>();
  /** Names without a folder. File names come before aliases, aliases before titles; of equal names the first one counts. */
  readonly #byName = new Map<string, string>();
  /** The first path of a file with that name, in whatever folder. */
  readonly #pathOfFile = new Map<string, string>();

  constructor(nodes: readonly NamedNode[]) {
    for (const { node, nodeId } of nodes) {
      const [file, ...headings] = node.source.split('#');
      add(this.#byPath, node.source, nodeId);
      if (headings.length === 0) add(this.#pathOfFile, fileName(node.source), key(node.source));
      // A heading can also be named without the headings that enclose it.
      if (headings.length > 1) add(this.#byPath, `${file}#${headings.at(-1)}`, nodeId);
    }
    for (const { node, nodeId } of nodes) add(this.#byName, fileName(node.source), nodeId);
    for (const { node, nodeId } of nodes) for (const alias of node.aliases) add(this.#byName, alias, nodeId);
    for (const { node, nodeId } of nodes) add(this.#byName, node.title, nodeId);
  }

  /** Adds the title of a node that existed before the import. It is found only if nothing in the import has that name. */
  addTitle(title: string, nodeId: string): void {
    add(this.#byName, title, nodeId);
  }

  has(name: string): boolean {
    return this.find({ name, heading: '' }, '') !== undefined;
  }

  /**
   * Resolves a link. A page in the same folder comes before pages elsewhere.
   * @param from path without `.md` of the file that contains the link
   * @returns the id of the node, or undefined if nothing has that name
   */
  find({ name, heading }: LinkTarget, from: string): string | undefined {
    const [file = ''] = from.split('#');
    if (name === '') return this.#byPath.get(key(file + heading));
    const path = name.replace(/\.md$/i, '');
    const beside = resolvePath(file.split('/').slice(0, -1), path);
    for (const place of [beside, path]) {
      const found = place !== null && this.#byPath.get(key(place + heading));
      if (found) return found;
    }
    if (heading !== '') {
      const target = this.#pathOfFile.get(key(fileName(path)));
      return target === undefined ? undefined : this.#byPath.get(key(target + heading));
    }
    return this.#byName.get(key(path)) ?? this.#byName.get(key(fileName(path)));
  }
}

function add(names: Map<string, string>, name: string, value: string): void {
  if (name !== '' && !names.has(key(name))) names.set(key(name), value);
}

/** Names are compared without case, and in Unicode's composed form. */
function key(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

/** The part after the last folder. Only the file part is cut, because a heading may contain a `/`. */
function fileName(source: string): string {
  const [file = '', ...headings] = source.split('#');
  return [file.slice(file.lastIndexOf('/') + 1), ...headings].join('#');
}

/** Resolves `.` and `..` against a folder. Null for a path that leads out of the top folder. */
function resolvePath(folder: readonly string[], path: string): string | null {
  const parts = [...folder];
  for (const part of path.split('/')) {
    if (part === '.' || part === '') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}

import type { Nodes, Parent, PhrasingContent, Resource, Root } from 'mdast';
import type { Losses } from './losses.js';

const safeAddress = /^(https?:\/\/|mailto:)/i;

/** Replaces what could load, run or embed something by words, and what other renderers leave out by what they show. */
export function neutralise(root: Root, losses: Losses): void {
  const tree = new Neutralised(root, losses);
  tree.replaceIn(root);
  tree.tellUnused();
}

class Neutralised {
  /** The first definition of a name counts. */
  readonly #addresses = new Map<string, string>();
  readonly #labels = new Map<string, string>();
  readonly #used = new Set<string>();
  readonly #notes = new Set<string>();
  readonly #losses: Losses;

  constructor(root: Root, losses: Losses) {
    this.#losses = losses;
    this.#collect(root);
  }

  #collect(node: Nodes): void {
    if (node.type === 'definition' && !this.#addresses.has(node.identifier)) {
      this.#addresses.set(node.identifier, node.url);
      this.#tellTitle(node);
      this.#labels.set(node.identifier, node.label ?? node.identifier);
    }
    if (node.type === 'footnoteReference') this.#notes.add(node.identifier);
    if ('children' in node) for (const child of node.children) this.#collect(child);
  }

  /** Children first. */
  replaceIn(parent: Parent): void {
    parent.children = parent.children.flatMap((node) => {
      if ('children' in node) this.replaceIn(node);
      return this.#neutral(node);
    });
  }

  tellUnused(): void {
    for (const [identifier, label] of this.#labels) if (!this.#used.has(identifier)) this.#losses.add('definition', `[${label}]`);
  }

  #neutral(node: Parent['children'][number]): Parent['children'] {
    switch (node.type) {
      case 'html':
        // `<br>` is the only element without a Markdown form inside of tables.
        return /^<br\s*\/?>$/i.test(node.value) ? [{ type: 'break' }] : [{ type: 'text', value: node.value }];
      case 'image':
        this.#tellTitle(node);
        return this.#imageText(node.alt, node.url);
      case 'imageReference':
        return this.#imageText(node.alt, this.#address(node.identifier));
      case 'link':
        this.#tellTitle(node);
        return this.#link(node.url, node.children);
      case 'linkReference':
        return this.#link(this.#address(node.identifier), node.children);
      case 'footnoteDefinition':
        return this.#note(node);
      case 'table': {
        // Cells beyond the header would be left out on a page.
        const width = Math.max(...node.children.map((row) => row.children.length));
        const [header] = node.children;
        while (header && header.children.length < width) header.children.push({ type: 'tableCell', children: [] });
        node.align = Array.from({ length: width }, (_, index) => node.align?.[index] ?? null);
        return [node];
      }
      case 'definition':
      case 'yaml':
        return [];
      default:
        return [node];
    }
  }

  #tellTitle({ title }: Resource): void {
    if (typeof title === 'string' && title !== '') this.#losses.add('title', title);
  }

  #address(identifier: string): string {
    this.#used.add(identifier);
    return this.#addresses.get(identifier) ?? '';
  }

  #link(url: string, children: PhrasingContent[]): PhrasingContent[] {
    if (safeAddress.test(url)) return [{ type: 'link', url, children }];
    this.#losses.add('link', url || '(without an address)');
    return children;
  }

  /** Images are not loaded. The reader sees the alternative text, with a link if the address is safe. */
  #imageText(alt: string | null | undefined, url: string): PhrasingContent[] {
    const value = `[image${alt ? `: ${alt}` : ''}]`;
    this.#losses.add('image', `${alt ?? ''} (${url})`.trim());
    return safeAddress.test(url) ? [{ type: 'link', url, children: [{ type: 'text', value }] }] : [{ type: 'text', value }];
  }

  /** A note that nothing refers to, or the second of a name, is a text like others: a page shows notes by their marks. */
  #note(node: Parent['children'][number] & { type: 'footnoteDefinition' }): Parent['children'] {
    if (this.#notes.delete(node.identifier)) return [node];
    const label = { type: 'paragraph', children: [{ type: 'text', value: `[${node.label ?? node.identifier}]` }] } as const;
    return [{ ...label, children: [...label.children] }, ...node.children];
  }
}

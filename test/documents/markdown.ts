// The Markdown documents of the repository as the tests read them: code blocks, inline code, links and headings.
import { readFileSync } from 'node:fs';
import { fromMarkdown } from 'mdast-util-from-markdown';
import type { Nodes } from 'mdast';

export interface CodeBlock {
  readonly document: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** The nearest heading above; empty before the first. */
  readonly heading: string;
  /** The first word after the fence: `ts`, `sh`, `json`; empty without one. */
  readonly language: string;
  /** Pairs after the language: `file=apps/x.ts` says where the text belongs. */
  readonly attributes: Readonly<Record<string, string>>;
  /** The reason in a `<!-- not run: … -->` before the block; null if the block is run. */
  readonly notRun: string | null;
  readonly text: string;
}

export interface Span {
  readonly line: number;
  readonly text: string;
}

export interface Markdown {
  readonly blocks: readonly CodeBlock[];
  readonly inlineCode: readonly Span[];
  readonly links: readonly Span[];
  readonly headings: readonly string[];
}

export function readMarkdown(document: string): Markdown {
  return parseMarkdown(document, readFileSync(document, 'utf8'));
}

/** @param document the path that blocks and error messages name */
export function parseMarkdown(document: string, markdown: string): Markdown {
  const blocks: CodeBlock[] = [];
  const inlineCode: Span[] = [];
  const links: Span[] = [];
  const headings: string[] = [];
  let notRun: string | null = null;
  for (const node of nodesOf(fromMarkdown(markdown))) {
    const line = node.position?.start.line ?? 0;
    if (node.type === 'heading') headings.push(textOf(node));
    if (node.type === 'inlineCode') inlineCode.push({ line, text: node.value });
    if (node.type === 'link') links.push({ line, text: node.url });
    if (node.type === 'html') notRun = /^<!-- not run: (.+) -->$/.exec(node.value)?.[1] ?? notRun;
    if (node.type === 'code') {
      const attributes = attributesOf(node.meta ?? '');
      blocks.push({
        document,
        line,
        heading: headings.at(-1) ?? '',
        language: node.lang ?? '',
        attributes,
        notRun,
        text: `${node.value}\n`,
      });
      notRun = null;
    }
  }
  return { blocks, inlineCode, links, headings };
}

/** The anchor that GitHub gives to a heading. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function* nodesOf(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* nodesOf(child);
}

function textOf(node: Nodes): string {
  return [...nodesOf(node)].map((one) => ('value' in one ? one.value : '')).join('');
}

function attributesOf(meta: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...meta.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value]));
}

// Reads Markdown into a tree of text only: whatever could load, run or embed something becomes words.
import type { Nodes, Root } from 'mdast';
import { fromMarkdown, type Options } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { cjkFriendlyExtension } from 'micromark-extension-cjk-friendly';
import { gfmStrikethroughCjkFriendly } from 'micromark-extension-cjk-friendly-gfm-strikethrough';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import { parse } from 'yaml';
import { z } from 'zod';
import { Losses } from './losses.js';
import { neutralise } from './neutralise.js';
import { TooComplex } from './report.js';

const maxDepth = 40;
/** Parts of the syntax tree; more would take minutes to lay out. */
const maxNodes = 60_000;
/** What stands in the text and can be in no file: XML does not allow it, and no font has it. */
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffe\uffff\p{Surrogate}]/gu;

const plain: Options = {
  // In the order of their rules: those for Chinese come before what they replace.
  extensions: [gfm(), cjkFriendlyExtension(), gfmStrikethroughCjkFriendly()],
  mdastExtensions: [gfmFromMarkdown()],
};
const withFrontMatter: Options = {
  extensions: [...(plain.extensions ?? []), frontmatter(['yaml'])],
  mdastExtensions: [...(plain.mdastExtensions ?? []), frontmatterFromMarkdown(['yaml'])],
};

/**
 * Parses GitHub-flavoured Markdown and neutralises it.
 * @param losses told what is not in the tree
 * @throws TooComplex beyond the depth or number of parts that a report may have
 */
export function readMarkdown(content: string, losses = new Losses()): Root {
  const root = parsed(withoutControls(content, losses), losses);
  let nodes = 0;
  const measure = (node: Nodes, depth: number): void => {
    nodes += 1;
    if (depth > maxDepth) throw new TooComplex(`The Markdown is nested more than ${maxDepth} deep`);
    if (nodes > maxNodes) throw new TooComplex(`The Markdown has more than ${maxNodes} parts`);
    if ('children' in node) for (const child of node.children) measure(child, depth + 1);
  };
  measure(root, 0);
  neutralise(root, losses);
  return root;
}

/** Replaces what no file may have. */
export function withoutControls(text: string, losses: Losses): string {
  const counts = new Map<string, number>();
  const tidy = text.replaceAll(controls, (character) => {
    counts.set(character, (counts.get(character) ?? 0) + 1);
    return '\ufffd';
  });
  losses.addCharacters('control', counts);
  return tidy;
}

/** Text between two lines of dashes is front matter only if it is a map in YAML; else the dashes are lines, and the text is a text. */
function parsed(content: string, losses: Losses): Root {
  const root = fromMarkdown(content, withFrontMatter);
  const [first] = root.children;
  if (first?.type !== 'yaml') return root;
  const fields = fieldsOf(first.value);
  if (fields === null) return fromMarkdown(content, plain);
  for (const field of fields) losses.add('frontMatter', field);
  return root;
}

function fieldsOf(yaml: string): readonly string[] | null {
  try {
    const { success, data = {} } = z.record(z.string(), z.unknown()).safeParse(parse(yaml, { maxAliasCount: 0 }));
    return success ? Object.keys(data) : null;
  } catch {
    return null;
  }
}

import { fromMarkdown } from 'mdast-util-from-markdown';
import { frontmatterFromMarkdown } from 'mdast-util-frontmatter';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString } from 'mdast-util-to-string';
import { frontmatter } from 'micromark-extension-frontmatter';
import { gfm } from 'micromark-extension-gfm';
import type { Heading, RootContent } from 'mdast';
import type { NewDocument, NewSection } from '../document.js';
import { Anchors } from './anchors.js';
import { readFrontMatter } from './front-matter.js';
import { readSectionFacts } from './section-facts.js';
import { splitLong } from './split-long.js';

/**
 * Reads Markdown with or without front matter. Each heading begins a section, whose content is the unchanged Markdown below it.
 * Throws UnreadableDocument for wrong front matter.
 */
export function readMarkdown(path: string, text: string): NewDocument {
  const { children } = fromMarkdown(text, {
    extensions: [gfm(), frontmatter(['yaml'])],
    mdastExtensions: [gfmFromMarkdown(), frontmatterFromMarkdown(['yaml'])],
  });
  const [first] = children;
  const facts = first?.type === 'yaml' ? readFrontMatter(first.value) : {};
  const body = first?.type === 'yaml' ? children.slice(1) : children;
  const firstHeading = body.find((node) => node.type === 'heading');
  const title = facts.title ?? (firstHeading?.depth === 1 ? titleOf(firstHeading).title : nameOf(path));
  return {
    path,
    title,
    titleEn: facts.title_en,
    domain: facts.domain,
    type: facts.type,
    tags: facts.tags,
    sourceUrl: facts.source_url,
    repoPath: facts.repo_path,
    source: facts.source,
    updated: facts.updated,
    content: text.slice(body[0]?.position?.start.offset ?? text.length).trim(),
    sections: [...sectionsOf(body, { text, title })].flatMap(splitLong),
  };
}

function* sectionsOf(nodes: readonly RootContent[], { text, title }: { text: string; title: string }): Generator<NewSection> {
  const anchors = new Anchors();
  /** The headings of the current section, outermost first. */
  let above: Heading[] = [];
  let group: RootContent[] = [];
  /** @param next the heading behind the section */
  const section = function* (next?: Heading): Generator<NewSection> {
    const heading = above.at(-1);
    if (heading && group[0] === heading) group.shift();
    const named = heading ? titleOf(heading) : { title, anchor: null };
    const facts = group[0] ? sectionFactsOf(group[0], text) : null;
    const content = sourceOf(facts ? group.slice(1) : group, text);
    // A heading without text is found by the sections below it, in whose paths it is; where there are none, it is all that is said.
    const isAbove = !heading || (next !== undefined && next.depth > heading.depth);
    if (content === '' && !facts && isAbove) return;
    yield {
      anchor: heading ? anchors.of(named.anchor ?? named.title) : null,
      headingPath: above.slice(0, -1).map((one) => titleOf(one).title),
      title: named.title,
      ...facts,
      content: content === '' && !facts ? named.title : content,
    };
  };
  for (const node of nodes) {
    if (node.type === 'heading') {
      yield* section(node);
      above = [...above.filter(({ depth }) => depth < node.depth), node];
      group = [];
    }
    group.push(node);
  }
  yield* section();
}

function titleOf(heading: Heading): { readonly title: string; readonly anchor: string | null } {
  const text = toString(heading);
  const [given = '', anchor = null] = /\{#([^{}\s]+)\}$/.exec(text) ?? [];
  return { title: text.slice(0, text.length - given.length).trimEnd(), anchor };
}

function sectionFactsOf(node: RootContent, text: string) {
  if (node.type !== 'blockquote') return null;
  return readSectionFacts(
    sourceOf([node], text)
      .split('\n')
      .map((line) => line.replace(/^\s*>\s?/, '')),
  );
}

function sourceOf(nodes: readonly RootContent[], text: string): string {
  const start = nodes[0]?.position?.start.offset;
  const end = nodes.at(-1)?.position?.end.offset;
  return start === undefined || end === undefined ? '' : text.slice(start, end).trim();
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, '').replace(/\.[^.]+$/, '');
}

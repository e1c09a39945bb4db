// The slim one cannot load addresses: a process that reads documents may not load a client for that.
import { load, type CheerioAPI } from 'cheerio/slim';
import type { NewDocument, NewSection } from '../document.js';
import { Anchors } from './anchors.js';
import { splitLong } from './split-long.js';

const blocks = new Set(['p', 'li', 'pre', 'blockquote', 'td', 'th', 'dt', 'dd', 'figcaption']);

/** Reads a web page. Each heading begins a section. Scripts, navigation and footers are left out. */
export function readHtml(path: string, html: string): NewDocument {
  const $ = load(html);
  $('script, style, noscript, nav, footer, template, iframe, svg').remove();
  const title = $('title').first().text().trim() || $('h1').first().text().trim() || path.replace(/^.*\//, '');
  const anchors = new Anchors();
  const sections: NewSection[] = [];
  let above: { depth: number; title: string; anchor: string }[] = [];
  let lines: string[] = [];
  const close = (): void => {
    const heading = above.at(-1);
    const content = lines.join('\n').trim();
    lines = [];
    if (content === '') return;
    sections.push({
      anchor: heading?.anchor ?? null,
      headingPath: above.slice(0, -1).map((one) => one.title),
      title: heading?.title ?? title,
      content,
    });
  };
  const root = $('main').get(0) ?? $('body').get(0) ?? $.root().get(0);
  for (const { tagName, text, id } of partsOf($, root)) {
    const level = /^h([1-6])$/.exec(tagName)?.[1];
    if (level === undefined) {
      if (text !== '') lines.push(text);
      continue;
    }
    close();
    const depth = Number(level);
    above = [...above.filter((one) => one.depth < depth), { depth, title: text, anchor: anchors.of(id ?? text) }];
  }
  close();
  if (sections.length === 0) {
    const content = $(root).text().replace(/\s+/g, ' ').trim();
    if (content !== '') sections.push({ anchor: null, headingPath: [], title, content });
  }
  const canonical = $('link[rel=canonical]').attr('href');
  return {
    path,
    title,
    sourceUrl: canonical,
    content: sections.map(({ title: heading, content }) => `${heading}\n\n${content}`).join('\n\n'),
    sections: sections.flatMap(splitLong),
  };
}

type Body = ReturnType<CheerioAPI['root']>[number]['children'][number];

interface Part {
  readonly tagName: string;
  readonly text: string;
  readonly id: string | undefined;
}

/** The headings and blocks of a page in order. The text of a block inside a block belongs to the outer one. */
function* partsOf($: CheerioAPI, root: Body | undefined): Generator<Part> {
  const open: { readonly node: Body; readonly inBlock: boolean }[] = root ? [{ node: root, inBlock: false }] : [];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node } = next;
    let { inBlock } = next;
    if (node.type === 'tag' && node !== root) {
      const isBlock = blocks.has(node.tagName);
      if ((isBlock && !inBlock) || /^h[1-6]$/.test(node.tagName))
        yield { tagName: node.tagName, text: $(node).text().replace(/\s+/g, ' ').trim(), id: node.attribs['id'] };
      inBlock ||= isBlock;
    }
    if ('children' in node) for (const child of node.children.toReversed()) open.push({ node: child, inBlock });
  }
}

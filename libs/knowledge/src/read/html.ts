import { load } from 'cheerio';
import type { NewDocument, NewSection } from '../document.js';
import { Anchors } from './anchors.js';
import { splitLong } from './split-long.js';

const blocks = 'p, li, pre, blockquote, td, th, dt, dd, figcaption';

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
  const root = $('main').first().length > 0 ? $('main').first() : $('body');
  root.find(`h1, h2, h3, h4, h5, h6, ${blocks}`).each((_, element) => {
    const node = $(element);
    const text = node.text().replace(/\s+/g, ' ').trim();
    const level = /^h([1-6])$/.exec(element.tagName)?.[1];
    if (level === undefined) {
      // The text of a block inside a block belongs to the outer one.
      if (text !== '' && node.parents(blocks).length === 0) lines.push(text);
      return;
    }
    close();
    const depth = Number(level);
    above = [...above.filter((one) => one.depth < depth), { depth, title: text, anchor: anchors.of(node.attr('id') ?? text) }];
  });
  close();
  if (sections.length === 0) {
    const content = root.text().replace(/\s+/g, ' ').trim();
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

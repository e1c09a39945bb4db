// The slim one cannot load addresses: a process that reads documents may not load a client for that.
import { load } from 'cheerio/slim';
import type { NewDocument, NewSection } from '../document.js';
import { Anchors } from './anchors.js';
import { linesOf } from './html-lines.js';
import { splitLong } from './split-long.js';

/** What a page shows nobody, and what is the same on each page of a site. */
const unread = 'script, style, noscript, nav, footer, template, iframe, svg, dialog:not([open]), [hidden]';
const isHiddenByStyle = /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i;

interface Above {
  readonly depth: number;
  readonly title: string;
  readonly anchor: string;
}

/** Reads a web page as somebody sees it. Each heading begins a section. Scripts, navigation and footers are left out. */
export function readHtml(path: string, html: string): NewDocument {
  const $ = load(html);
  $(unread).remove();
  $('[style]')
    .filter((_, element) => isHiddenByStyle.test($(element).attr('style') ?? ''))
    .remove();
  const title = $('title').first().text().trim() || $('h1').first().text().trim() || path.replace(/^.*\//, '');
  const canonical = $('link[rel=canonical]').attr('href');
  $('head, title').remove();
  const mains = $('main').filter((_, element) => $(element).parents('main').length === 0);
  const roots = mains.length > 0 ? mains.get() : ($('body').get(0) ?? $.root().get(0));
  const anchors = new Anchors();
  const sections: NewSection[] = [];
  let above: readonly Above[] = [];
  let lines: string[] = [];
  const close = (nextDepth: number): void => {
    const heading = above.at(-1);
    const content = lines.join('\n').trim();
    lines = [];
    // A heading without text is in the paths of the sections below it; where there are none, it is all that is said.
    if (content === '' && (!heading || nextDepth > heading.depth)) return;
    sections.push({
      anchor: heading?.anchor ?? null,
      headingPath: above.slice(0, -1).map((one) => one.title),
      title: heading?.title ?? title,
      content: content || (heading?.title ?? ''),
    });
  };
  for (const { text, heading } of [roots].flat().flatMap((root) => (root ? [...linesOf(root)] : []))) {
    if (!heading) {
      lines.push(text);
      continue;
    }
    close(heading.depth);
    above = [...above.filter(({ depth }) => depth < heading.depth), { ...heading, title: text, anchor: anchors.of(heading.id ?? text) }];
  }
  close(0);
  return {
    path,
    title,
    sourceUrl: canonical,
    content: sections.map(({ title: heading, content }) => (heading === content ? heading : `${heading}\n\n${content}`)).join('\n\n'),
    sections: sections.flatMap(splitLong),
  };
}

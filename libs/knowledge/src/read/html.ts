import { DomUtils, parseDocument } from 'htmlparser2';
import type { NewDocument, NewSection } from '../document.js';
import { Anchors } from './anchors.js';
import { linesOf, type HtmlElement } from './html-lines.js';
import { splitLong } from './split-long.js';

/** What a page shows nobody, and what is the same on each page of a site. */
const unread = new Set(['script', 'style', 'noscript', 'nav', 'footer', 'template', 'iframe', 'svg']);
const isHiddenByStyle = /(^|;)\s*(display\s*:\s*none|visibility\s*:\s*hidden)/i;

interface Above {
  readonly depth: number;
  readonly title: string;
  readonly anchor: string;
}

/** Reads a web page as somebody sees it. Each heading begins a section. Scripts, navigation and footers are left out. */
export function readHtml(path: string, html: string): NewDocument {
  const page = parseDocument(html);
  const all = (name: string) => DomUtils.findAll((element) => element.name === name, page);
  removeAll(DomUtils.findAll(isUnread, page));
  const title = textOf(all('title')[0]) || textOf(all('h1')[0]) || path.replace(/^.*\//, '');
  const canonical = all('link').find(({ attribs }) => attribs['rel'] === 'canonical')?.attribs['href'];
  removeAll([...all('head'), ...all('title')]);
  const mains = all('main').filter((main) => !isWithin(main, 'main'));
  const roots = mains.length > 0 ? mains : [all('body')[0] ?? page];
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
  for (const { text, heading } of roots.flatMap((root) => [...linesOf(root)])) {
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

function isUnread({ name, attribs }: HtmlElement): boolean {
  return (
    unread.has(name) ||
    (name === 'dialog' && attribs['open'] === undefined) ||
    attribs['hidden'] !== undefined ||
    isHiddenByStyle.test(attribs['style'] ?? '')
  );
}

function removeAll(elements: readonly HtmlElement[]): void {
  for (const element of elements) DomUtils.removeElement(element);
}

function isWithin(element: HtmlElement, name: string): boolean {
  for (let above = element.parent; above; above = above.parent) if ('name' in above && above.name === name) return true;
  return false;
}

/** The text of an element in one line. Not by recursion: pages are nested deeper than a call stack. */
function textOf(element: HtmlElement | undefined): string {
  return element ? [...linesOf(element)].map(({ text }) => text).join(' ') : '';
}

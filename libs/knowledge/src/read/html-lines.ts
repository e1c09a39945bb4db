import type { DomUtils, parseDocument } from 'htmlparser2';

type Page = ReturnType<typeof parseDocument>;
export type HtmlNode = Page | Page['children'][number];
export type HtmlElement = ReturnType<typeof DomUtils.findAll>[number];

export interface HtmlLine {
  readonly text: string;
  /** Set where the line is a heading. */
  readonly heading: { readonly depth: number; readonly id: string | undefined } | null;
}

/** What begins and ends a line. All else, such as a link or a word in bold, stands within one. */
const blocks = new Set(
  (
    'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure form header hgroup hr ' +
    'html legend li main menu ol optgroup option p pre search section summary table tbody td tfoot th thead tr ul'
  ).split(' '),
);
const headings = /^h([1-6])$/;

interface Step {
  readonly node: HtmlNode;
  readonly isEnd: boolean;
  /** Within it, spaces and ends of lines count. */
  readonly isPre: boolean;
}

/** The lines of a page as somebody reads them, from top to bottom. No text is left out, whatever it stands in. */
export function* linesOf(root: HtmlNode): Generator<HtmlLine> {
  let text = '';
  let heading: HtmlLine['heading'] = null;
  const line = function* (isPre: boolean): Generator<HtmlLine> {
    const shown = isPre ? text.replace(/^\n|\s+$/g, '') : text.trim();
    text = '';
    if (shown === '') return;
    yield { text: shown, heading };
    heading = null;
  };
  // Not by recursion: pages are nested deeper than a call stack.
  const open: Step[] = [{ node: root, isEnd: false, isPre: false }];
  for (let step = open.pop(); step; step = open.pop()) {
    const { node, isEnd, isPre } = step;
    if (node.type === 'text') text = isPre ? text + node.data : joined(text, node.data);
    if (!('tagName' in node)) {
      if ('children' in node) for (const child of node.children.toReversed()) open.push({ node: child, isEnd: false, isPre });
      continue;
    }
    const name = node.tagName;
    const depth = headings.exec(name)?.[1];
    const inPre = isPre || name === 'pre' || name === 'textarea';
    if (name === 'br' && !isEnd) text = isPre ? `${text}\n` : heading ? joined(text, ' ') : text;
    if ((name === 'br' && !isPre && !heading) || depth !== undefined || blocks.has(name)) yield* line(isEnd ? inPre : isPre);
    if (depth !== undefined) heading = isEnd ? null : { depth: Number(depth), id: node.attribs['id'] };
    if (isEnd) continue;
    if (name === 'img') text = joined(text, ` ${node.attribs['alt'] ?? ''} `);
    open.push({ node, isEnd: true, isPre });
    for (const child of node.children.toReversed()) open.push({ node: child, isEnd: false, isPre: inPre });
  }
  yield* line(false);
}

/** Spaces are one, also where two texts meet. */
function joined(before: string, next: string): string {
  const text = next.replace(/\s+/g, ' ');
  return before === '' || before.endsWith(' ') ? before + text.trimStart() : before + text;
}

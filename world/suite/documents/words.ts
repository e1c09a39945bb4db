import { load } from 'cheerio';
import { must } from '#lib/testing';

const word = /\p{L}{4,}/gu;
/** Those of private networks are left out, and others may be kept apart from the text. */
const addresses = /\b[a-z]+:\/\/\S+|[\w-]+\.local\b/gi;

/** What a reader of a Markdown file can read: no front matter, comments, tags or addresses of links. */
export function markdownText(source: string): string {
  return source
    .replace(/^---\n.*?\n---\n/s, '')
    .replace(/<!--.*?-->/gs, ' ')
    .replace(/<\/?[a-z][^>]*>/gi, ' ')
    .replace(/\]\([^)]*\)/g, '] ')
    .replace(/^ *\[[^\]]*\]: *\S.*$/gm, ' ')
    .replace(addresses, ' ');
}

/** What a reader of a page can read in its main part. */
export function pageText(html: string): string {
  const page = load(html);
  page('script, style, noscript, template, svg, nav, header, footer, aside').remove();
  page('*').append(' ');
  return (page('main').length > 0 ? page('main') : page('body')).text().replace(addresses, ' ');
}

/** Every word of the texts stands in what was stored. Gives how many there were. */
export function mustKeepWords(read: readonly string[], stored: string): number {
  const wanted = new Set(read.flatMap((text) => text.toLowerCase().match(word) ?? []));
  const kept = new Set(stored.toLowerCase().match(word));
  const lost = [...wanted].filter((one) => !kept.has(one));
  must(lost.length === 0, `${lost.length} of ${wanted.size} words were lost: ${lost.slice(0, 30).join(', ')}`);
  return wanted.size;
}

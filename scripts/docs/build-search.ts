// The index of the search. Pagefind cuts Chinese text into words by a dictionary, and a browser cuts what is typed by another one, so that 暂存 is
// one word of the index and two of the question. The texts of the index are therefore cut as a browser cuts them, and then by Pagefind.
import { execFileSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Folders {
  /** `docs/site`, which has Pagefind. */
  readonly site: string;
  /** The finished pages; they stay as they are. */
  readonly built: string;
  /** What pages are made from. */
  readonly sources: string;
}

const segmenter = new Intl.Segmenter('zh-CN', { granularity: 'word' });
/** Between the words of a text that has no spaces. Pagefind splits at it, and leaves it out of what it shows. */
const wordBreak = '\u200B';

export function buildSearch({ site, built, sources }: Folders): void {
  const texts = join(sources, 'search');
  rmSync(texts, { recursive: true, force: true });
  rmSync(join(built, 'pagefind'), { recursive: true, force: true });
  for (const file of globSync('**/*.html', { cwd: built })) {
    mkdirSync(dirname(join(texts, file)), { recursive: true });
    writeFileSync(join(texts, file), weighed(file, cutWords(readFileSync(join(built, file), 'utf8'))));
  }
  const output = join(built, 'pagefind');
  execFileSync(
    process.execPath,
    [join(site, 'node_modules/pagefind/lib/runner/bin.cjs'), '--site', texts, '--output-path', output, '--quiet'],
    {
      stdio: ['ignore', 2, 2],
    },
  );
  JSON.parse(readFileSync(join(output, 'pagefind-entry.json'), 'utf8'));
}

/** The texts of a page, not its tags, with breaks between Chinese words. */
export function cutWords(html: string): string {
  return html.replaceAll(/(?<=^|>)[^<]+/g, (text) =>
    text.replaceAll(/\p{Script=Han}+/gu, (run) => [...segmenter.segment(run)].map(({ segment }) => segment).join(wordBreak)),
  );
}

/**
 * A decision, which says why, comes after the page that says how. A name in the first column of a reference is what that row is for: such a
 * page is long, and has each name once.
 */
function weighed(file: string, html: string): string {
  if (file.includes('decisions/0')) return html.replace('data-pagefind-body', 'data-pagefind-body data-pagefind-weight="0.3"');
  return file.includes('reference/') ? html.replaceAll(/(?<=<tr>\s*<td>)<code/g, '<code data-pagefind-weight="8"') : html;
}

// Writes the pages where Astro finds them, lets it build them, and puts what it built into `dist/docs`.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#lib/command-line';
import { buildSearch } from './build-search.js';
import { checkSearch } from './check-search.js';
import { markdownFile, writeMarkdown } from './markdown-forms.js';
import type { Page } from './page.js';

const site = join(root, 'docs/site');
const sources = join(root, 'dist/docs-pages');
const built = join(root, 'dist/docs');

/** @throws Error when the search does not find what readers look for */
export async function buildSite(pages: readonly Page[]): Promise<void> {
  rmSync(sources, { recursive: true, force: true });
  for (const page of pages) write(join(sources, 'pages', markdownFile(page.slug)), `${frontMatter(page)}\n${page.body}\n`);
  write(join(sources, 'pages.json'), JSON.stringify(pages.map(({ slug }) => slug)));
  for (const file of globSync('docs/**/*.png', { cwd: root, exclude: ['docs/site/**'] }))
    cpSync(join(root, file), join(sources, 'public', file.replace(/^docs/, 'pictures')));
  cpSync(join(root, 'apps/console/src/icon.svg'), join(sources, 'public/favicon.svg'));
  // No network: neither telemetry nor a question for news.
  const env = { ...process.env, ASTRO_TELEMETRY_DISABLED: '1', NO_COLOR: '1' };
  execFileSync(process.execPath, ['node_modules/astro/bin/astro.mjs', 'build', '--silent'], { cwd: site, env, stdio: ['ignore', 2, 2] });
  // Types for editors; nobody edits here.
  rmSync(join(site, '.astro'), { recursive: true, force: true });
  finishPages();
  buildSearch({ site, built, sources });
  writeMarkdown(pages, built);
  await checkSearch(built);
}

function frontMatter({ slug, title, description }: Page): string {
  const hasToc = !slug.startsWith('explanation/decisions/');
  // JSON is YAML.
  return [
    '---',
    `title: ${JSON.stringify(title)}`,
    `description: ${JSON.stringify(description.slice(0, 300))}`,
    ...(hasToc ? [] : ['tableOfContents: false']),
    '---',
  ].join('\n');
}

/**
 * Scripts and styles inside of the pages become files, so that the pages work under a policy that allows files of ours alone. They run in the
 * same order: a script without `async` or `defer` holds up what follows it. What may scroll can be reached by keyboard: tables, and code, which has
 * a name of its own (the theme takes the role and the place in the order back from code that fits). A heading cell without a text is no heading.
 */
function finishPages(): void {
  for (const file of globSync('**/*.html', { cwd: built })) {
    const html = readFileSync(join(built, file), 'utf8');
    const codeWord = /<html lang="zh/.test(html) ? '代码' : 'Code';
    let codes = 0;
    const finished = html
      .replaceAll('<table>', '<table tabindex="0">')
      .replaceAll('<th></th>', '<td></td>')
      .replaceAll('<pre data-language=', () => `<pre tabindex="0" role="region" aria-label="${codeWord} ${(codes += 1)}" data-language=`)
      .replaceAll(/<script(?<attributes>(?:\s(?!src=)[^\s>]+)*)>(?<text>[^]*?)<\/script>/g, (...parts) => {
        const { attributes = '', text = '' } = groupsOf(parts);
        return text.trim() === '' ? '' : `<script${attributes} src="/docs/${inlineFile(text, 'js')}"></script>`;
      })
      .replaceAll(
        /<style[^>]*>(?<text>[^]*?)<\/style>/g,
        (...parts) => `<link rel="stylesheet" href="/docs/${inlineFile(groupsOf(parts)['text'] ?? '', 'css')}">`,
      );
    if (finished !== html) writeFileSync(join(built, file), finished);
  }
}

function groupsOf(parts: readonly unknown[]): Readonly<Record<string, string>> {
  const groups: unknown = parts.at(-1);
  return typeof groups === 'object' && groups !== null
    ? Object.fromEntries(Object.entries(groups).map(([name, text]) => [name, String(text ?? '')]))
    : {};
}

function inlineFile(text: string, extension: string): string {
  const name = `_astro/${createHash('sha256').update(text).digest('hex').slice(0, 12)}.${extension}`;
  write(join(built, name), text);
  return name;
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

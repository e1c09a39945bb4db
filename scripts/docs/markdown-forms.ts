// What agents read: each page as Markdown, and a list of all pages (https://llmstxt.org).
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#lib/command-line';
import { addressOf, type Page } from './page.js';

/** Writes all that agents read into a folder that a gateway serves. */
export function writeMarkdown(pages: readonly Page[], folder: string): void {
  const texts = pages.map((page) => [markdownFile(page.slug), markdownForm(page, pages)] as const);
  for (const [file, text] of [...texts, ['llms.txt', llmsText(pages)] as const]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  // For coding agents, as it is.
  cpSync(join(root, 'docs/skills'), join(folder, 'skills'), { recursive: true });
}

/** A page of its own address, such as `/docs/tutorials/first-call.md`; of the first page `/docs/index.md`. */
export function markdownFile(slug: string): string {
  return slug === '' ? 'index.md' : `${slug}.md`;
}

/** Links between pages lead to their Markdown form. */
export function markdownForm({ title, body }: Page, pages: readonly Page[]): string {
  const bySite = new Map(pages.map(({ slug }) => [addressOf(slug), `/docs/${markdownFile(slug)}`]));
  const text = body.replaceAll(/\]\((\/docs\/[^)#\s]*)/g, (_, address: string) => `](${bySite.get(address) ?? address}`);
  return `# ${title}\n\n${text}\n`;
}

const sections = [
  ['Tutorials', 'tutorials/'],
  ['How-to', 'how-to/'],
  ['Reference', 'reference/'],
  ['Explanation', 'explanation/'],
  ['中文', 'zh/'],
] as const;

export function llmsText(pages: readonly Page[]): string {
  const lists = sections.map(([heading, prefix]) => {
    const lines = pages
      .filter(({ slug }) => slug.startsWith(prefix) && !slug.startsWith('explanation/decisions/'))
      .map(
        ({ slug, title, description }) =>
          `- [${title}](/docs/${markdownFile(slug)})${description ? `: ${firstSentence(description)}` : ''}`,
      );
    return `## ${heading}\n\n${lines.join('\n')}`;
  });
  return `# Invoq

> The tool backend of AI agents. An agent calls a tool; Invoq checks the call, runs it as a durable job, retries it by rules, streams its progress, and answers with one envelope.

Call a tool with \`POST /tools/{name}\` and a bearer key, or as an MCP client at \`/mcp\`. \`GET /openapi.json\` describes every route.

${lists.join('\n\n')}
`;
}

function firstSentence(text: string): string {
  return /^.*?[.。](?=\s|$)/.exec(text)?.[0] ?? text;
}

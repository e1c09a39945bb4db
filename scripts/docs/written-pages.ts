// The documents of the repository that people write, as pages: their links lead to pages, and their pictures are copied.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { toString } from 'mdast-util-to-string';
import type { Nodes, Root } from 'mdast';
import { gfm } from 'micromark-extension-gfm';
import { root } from '#lib/command-line';
import { addressOf, type Page } from './page.js';

/** Where readers look for a document, in the order of the lists. For others the rules below say it. */
const places: Readonly<Record<string, string>> = {
  'docs/index.md': '',
  'docs/zh/index.md': 'zh',
  'docs/tutorials/first-call.md': 'tutorials/first-call',
  'docs/tutorials/agent-with-tools.md': 'tutorials/agent-with-tools',
  'docs/tutorials/your-own-tool.md': 'tutorials/your-own-tool',
  'docs/how-to/retries-and-idempotency.md': 'how-to/retries-and-idempotency',
  'docs/how-to/streams-in-a-browser.md': 'how-to/streams-in-a-browser',
  'docs/how-to/use-chat.md': 'how-to/use-chat',
  'docs/how-to/mcp-clients.md': 'how-to/mcp-clients',
  'docs/how-to/import-documents.md': 'how-to/import-documents',
  'docs/how-to/write-a-skill.md': 'how-to/write-a-skill',
  'docs/how-to/new-version-of-a-tool.md': 'how-to/new-version-of-a-tool',
  'docs/how-to/keys-and-tenants.md': 'how-to/keys-and-tenants',
  'docs/how-to/deploy.md': 'how-to/deploy',
  'docs/how-to/observe.md': 'how-to/observe',
  'docs/how-to/scale.md': 'how-to/scale',
  'docs/how-to/upgrade.md': 'how-to/upgrade',
  'docs/how-to/back-up.md': 'how-to/back-up',
  'docs/runbook.md': 'how-to/operate',
  'docs/explanation/pipeline.md': 'explanation/pipeline',
  'docs/reliability.md': 'explanation/durability',
  'docs/explanation/fairness.md': 'explanation/fairness',
  'docs/explanation/sealing.md': 'explanation/sealing',
  'docs/memotree.md': 'explanation/memory',
  'docs/explanation/search.md': 'explanation/search',
  'docs/security.md': 'explanation/security',
  'docs/compatibility.md': 'explanation/compatibility',
  'docs/performance.md': 'explanation/speed',
  'docs/scale.md': 'explanation/scale',
  'docs/explanation/comparisons.md': 'explanation/comparisons',
  'docs/decisions/README.md': 'explanation/decisions',
  'docs/reference/http-api.md': 'reference/http-api',
  'docs/reference/limits.md': 'reference/limits',
  'docs/reference/events.md': 'reference/events',
  'docs/authentication.md': 'reference/authentication',
  'docs/worker-protocol.md': 'reference/worker-protocol',
  'docs/glossary.md': 'reference/glossary',
  'libs/client/README.md': 'reference/typescript-client',
  'libs/serve/README.md': 'reference/worker-library',
  'clients/python/README.md': 'reference/python-client',
  'CHANGELOG.md': 'reference/changelog',
};
/**
 * Pages that are made from sources. A document links to the source, which is there wherever it is read, and its reader on the site gets the page.
 */
const made: Readonly<Record<string, string>> = {
  'libs/serve/src/own-contract.ts': 'reference/tool-fields',
  'libs/contracts/src/errors.ts': 'reference/errors',
  'libs/contracts/src/tools/index.ts': 'reference/tools',
  'libs/contracts/src/tools/profile/calc-metrics.ts': 'reference/tools/calc_metrics',
  'libs/contracts/src/tools/perception/get-weather.ts': 'reference/tools/get_weather',
  'libs/transport/src/metrics.ts': 'reference/metrics',
  'ops/alerts.yml': 'reference/alerts',
  '.env.example': 'reference/settings',
};
/** Of those, what there is in Chinese too. */
const madeInChinese = /^reference\/tools/;
/** Titles of packages say little in a list. */
const titles: Readonly<Record<string, string>> = {
  'libs/client/README.md': 'TypeScript client (@invoq/client)',
  'libs/serve/README.md': 'Worker library (@invoq/worker)',
  'clients/python/README.md': 'Python client (invoq)',
};
const folders = ['docs/{tutorials,how-to,reference,explanation,decisions,zh}/**/*.md', 'docs/*.md'];

/** Source → slug of every written page. A document of `docs/` that nothing is said about is a how-to. */
export function placesOfPages(): ReadonlyMap<string, string> {
  const files = globSync(folders, { cwd: root }).map((file) => file.replaceAll('\\', '/'));
  const all = [...new Set([...Object.keys(places).filter((file) => existsSync(join(root, file))), ...files.toSorted()])];
  return new Map(all.map((file) => [file, places[file] ?? slugOf(file)]));
}

function slugOf(file: string): string {
  const path = file.replace(/^docs\//, '').replace(/\.md$/, '');
  if (path.startsWith('decisions/')) return `explanation/${path}`;
  return path.includes('/') ? path : `how-to/${path}`;
}

/** @throws Error naming the document, if it does not begin with its title */
export function writtenPage(file: string, pages: ReadonlyMap<string, string>): Page {
  const markdown = readFileSync(join(root, file), 'utf8');
  const tree = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const [heading] = tree.children;
  if (heading?.type !== 'heading' || heading.depth !== 1) throw new Error(`${file} must begin with its title: # …`);
  const description = tree.children.find(({ type }) => type === 'paragraph');
  return {
    slug: pages.get(file) ?? slugOf(file),
    title: titles[file] ?? toString(heading),
    description: description ? toString(description).replaceAll(/\s+/g, ' ') : '',
    body: withLinks({ file, markdown, tree, pages })
      .slice(heading.position?.end.offset ?? 0)
      .trim(),
  };
}

interface Document {
  readonly file: string;
  readonly markdown: string;
  readonly tree: Root;
  readonly pages: ReadonlyMap<string, string>;
}

/** Replaces from the end to the beginning, so that what is before keeps its place. The title has no links. */
function withLinks({ file, markdown, tree, pages }: Document): string {
  let text = markdown;
  const found = [...nodesOf(tree)].filter((node) => node.type === 'link' || node.type === 'image' || isNote(node));
  for (const node of found.toReversed()) {
    const [start, end] = [node.position?.start.offset ?? 0, node.position?.end.offset ?? 0];
    text = text.slice(0, start) + replacement(node, { file, source: text.slice(start, end), pages }) + text.slice(end);
  }
  return text;
}

/** `<!-- not run: … -->` is for our tests. */
function isNote(node: Nodes): boolean {
  return node.type === 'html' && node.value.startsWith('<!--');
}

function replacement(
  node: Nodes,
  { file, source, pages }: { readonly file: string; readonly source: string; readonly pages: ReadonlyMap<string, string> },
): string {
  if (node.type !== 'link' && node.type !== 'image') return '';
  if (/^([a-z]+:|#|\/)/.test(node.url)) return source;
  const [path = '', anchor] = node.url.split('#');
  const target = normalize(join(dirname(file), path)).replaceAll('\\', '/');
  if (node.type === 'image') return source.replace(node.url, pictureAddress(target));
  const slug = pages.get(target) ?? madePage(target, file);
  // What is no page is a file of the repository, which a reader of the site may not have: its name is enough.
  if (slug === undefined) return source.slice(1, source.lastIndexOf(']('));
  return `${source.slice(0, source.lastIndexOf(']('))}](${addressOf(slug)}${anchor ? `#${anchor}` : ''})`;
}

function madePage(target: string, file: string): string | undefined {
  const slug = made[target];
  return slug !== undefined && file.startsWith('docs/zh/') && madeInChinese.test(slug) ? `zh/${slug}` : slug;
}

/** Pictures of `docs/` are copied to `/docs/pictures/`. */
function pictureAddress(path: string): string {
  return path.replace(/^docs\//, '/docs/pictures/');
}

function* nodesOf(node: Nodes): Generator<Nodes> {
  yield node;
  if ('children' in node) for (const child of node.children) yield* nodesOf(child);
}

// Whatever a document names exists: files, npm scripts, commands, settings, error codes, metrics, links and their anchors.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { commands } from '../../apps/cli/src/commands.js';
import { anchorOf, readMarkdown } from './markdown.js';
import { allPaths, npmScripts, pathExists, sourceWords } from './repository.js';

const paths = allPaths();
const words = sourceWords(paths);
const scriptNames = npmScripts();
const documents = paths.filter((path) => path.endsWith('.md') && !/^(skills|knowledge\/(health|stripe|bazi|zodiac))/.test(path));
const decisions = documents.filter((path) => /^docs\/decisions\/\d/.test(path));

/** Names that documents use as examples and that need not exist. */
const examples =
  /^(x(\.test|\.integration\.test)?\.(ts|js|md)|\.\.\/x\.md|.*profiles\.csv|.*(waist-to-height|clock).*|.*_add_orders\/migration\.sql)$/;

const alerts = readFileSync('ops/alerts.yml', 'utf8');
/** Names of other products that no source of ours uses. */
const otherProducts = new Set(['mcpServers', 'enableAutoPipelining', 'forwardRef', 'rateLimit', 'RateLimit']);

/** Models that documents name are known to the SDKs of their makers, and none of them is near its end. */
test('the models of the documents are those that their SDKs know and do not warn of', () => {
  const anthropic = readFileSync('node_modules/@anthropic-ai/sdk/resources/messages/messages.d.ts', 'utf8');
  const ending = /DEPRECATED_MODELS = \{([^}]*)\}/.exec(
    readFileSync('node_modules/@anthropic-ai/sdk/resources/messages/messages.js', 'utf8'),
  )?.[1];
  const openai = readFileSync('node_modules/@ai-sdk/openai/dist/index.d.ts', 'utf8');
  const named = [
    ...documents.filter((path) => path.startsWith('docs/') && !/decisions|performance/.test(path)),
    'README.md',
    '.env.example',
  ]
    .flatMap((path) => [...readFileSync(path, 'utf8').matchAll(/\b(?:claude|gpt)-[a-z0-9.-]*[a-z0-9]\b(?!#\d)/g)])
    .map(([name]) => name);
  expect(named.length).toBeGreaterThan(3);
  const unknown = named.filter((name) => !(anthropic + openai).includes(`'${name}'`) || (ending ?? '').includes(`'${name}'`));
  expect({ ending: ending !== undefined, unknown }).toEqual({ ending: true, unknown: [] });
});

describe.each(documents)('%s', (document) => {
  const { blocks, inlineCode, links, headings } = readMarkdown(document);
  const code = [...inlineCode.map(({ text }) => text), ...blocks.map(({ text }) => text)];

  test('links to files and headings that exist', () => {
    const broken = links
      .map(({ text }) => text)
      // A path of the site, such as /docs/reference/errors/, leads nowhere in the repository: written-pages.ts knows its source.
      .filter((url) => !/^[a-z]+:/.test(url))
      .filter((url) => {
        const [path = '', anchor] = url.split('#');
        const target = path === '' ? document : join(dirname(document), path);
        const anchors = (): readonly string[] => (target === document ? headings : readMarkdown(target).headings).map(anchorOf);
        return !existsSync(target) || (anchor !== undefined && !anchors().includes(anchor));
      });
    expect(broken).toEqual([]);
  });

  test('names files and folders that exist', () => {
    const named = inlineCode.map(({ text }) => text).filter((text) => isPath(text) && !examples.test(text));
    expect(named.filter((path) => !pathExists(path, paths))).toEqual([]);
  });

  test('names npm scripts that exist', () => {
    const named = code.flatMap((text) => [...text.matchAll(/npm run (?:-s )?([\w:-]+)/g)].map(([, name = '']) => name));
    expect(named.filter((name) => !scriptNames.has(name))).toEqual([]);
  });

  test('names commands of invoq that exist, with options that they have', async () => {
    const named = code.flatMap((text) => [...text.matchAll(/npx invoq (?!--|<)(.+)/g)].map(([, line = '']) => line));
    for (const line of named) {
      const entry = commands.find(({ name }) => `${line} `.startsWith(`${name} `));
      expect([line, entry?.name]).toEqual([line, expect.any(String)]);
      const { help } = (await entry?.load()) ?? { help: '' };
      // The parameters of a tool, and those of an evaluation, are not in the help of the command.
      const own = entry && !/^(call|eval .*)$/.test(entry.name) ? (line.match(/--[\w-]+/g) ?? []) : [];
      expect(own.filter((option) => !help.match(/--[\w-]+/g)?.includes(option))).toEqual([]);
    }
  });

  test('names functions, types and fields that the sources have', () => {
    const names = inlineCode.flatMap(({ text }) => text.match(/\b[A-Za-z]*[a-z][A-Z][A-Za-z]*\b/g) ?? []);
    const samples = blocks.filter(({ attributes }) => attributes['file']).map(({ text }) => text);
    const places = [alerts, ...samples];
    const known = (name: string): boolean => otherProducts.has(name) || words.has(name) || places.some((text) => text.includes(name));
    expect(names.filter((name) => !known(name))).toEqual([]);
  });

  test('names settings, error codes and metrics that the sources have', () => {
    const names = code.flatMap((text) => text.match(/\b([A-Z][A-Z0-9]*(_[A-Z0-9]+)+|(invoq|sse)_[a-z0-9_]+)\b(?![*…<])/g) ?? []);
    const samples = blocks.filter(({ attributes }) => attributes['file']).map(({ text }) => text);
    const known = (name: string): boolean =>
      // Made for each worker by `npm start`.
      /^[A-Z]+_WORKER_HEALTH_URL$/.test(name) ||
      samples.some((text) => text.includes(name)) ||
      words.has(name) ||
      words.has(name.replace(/_(total|sum|count|bucket)$/, ''));
    expect(names.filter((name) => !known(name))).toEqual([]);
  });
});

test('CONTRIBUTING.md is short, and its table has all npm scripts', () => {
  const text = readFileSync('CONTRIBUTING.md', 'utf8');
  expect(Buffer.byteLength(text)).toBeLessThan(10_000);
  const table = text.split('\n').filter((line) => line.startsWith('| `'));
  const missing = [...scriptNames].filter((name) => !table.some((row) => new RegExp(`\\b(npm (run )?)?${name}\\b`).test(row)));
  expect(missing).toEqual([]);
});

test('the table of commands stands once', () => {
  const tables = documents.filter((path) => /^\| `npm run [^|]*\| /m.test(readFileSync(path, 'utf8')));
  expect(tables).toEqual(['CONTRIBUTING.md']);
});

test('.env.example names only settings that the sources read', () => {
  const names = [...readFileSync('.env.example', 'utf8').matchAll(/^#([A-Z][A-Z0-9_]*)=/gm)].map(([, name = '']) => name);
  // The AWS SDK reads its own.
  expect(names.filter((name) => !words.has(name) && !name.startsWith('AWS_'))).toEqual([]);
  expect(names).toEqual([...new Set(names)]);
});

test('.env.example has every setting of the apps and libraries', () => {
  const example = readFileSync('.env.example', 'utf8');
  const settings = paths
    .filter((path) => /^(apps|libs)\/.*\.ts$/.test(path) && !path.includes('.test.'))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      return /\b(Settings|settings)\b/.test(text) ? [...text.matchAll(/^ {2}([A-Z][A-Z0-9_]*): /gm)].map(([, name = '']) => name) : [];
    });
  const given = new Set(['INVOQ_URL']);
  expect(settings.length).toBeGreaterThan(50);
  expect(settings.filter((name) => !given.has(name) && !example.includes(`#${name}=`))).toEqual([]);
});

test('.env.example has every setting of the README', () => {
  const example = readFileSync('.env.example', 'utf8');
  const named = readMarkdown('README.md').inlineCode.flatMap(({ text }) => /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+_?(?=\*?$)/.exec(text)?.[0] ?? []);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !example.includes(`#${name}`))).toEqual([]);
});

describe('the decisions', () => {
  test('are all listed with their titles', () => {
    const rows = decisions.map((path) => {
      const [, number, title] = /^# (\d{4}) (.+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
      return `| [${number}](${path.slice('docs/decisions/'.length)}) | ${title} |`;
    });
    const table = readFileSync('docs/decisions/README.md', 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ['));
    expect(table).toEqual(rows);
  });

  test.each(decisions)('%s has a context, a decision, consequences, and alternatives where there were any', (path) => {
    const [, ...sections] = readMarkdown(path).headings.map((heading) => heading.split(' ')[0]);
    expect([...sections, 'Alternatives'].slice(0, 4)).toEqual(['Context', 'Decision', 'Consequences', 'Alternatives']);
  });
});

/** A file name with an extension of this repository, or a path below one of its folders. */
function isPath(text: string): boolean {
  return (
    /^\.?[\w<>*./-]+\.(ts|mjs|cjs|js|md|ya?ml|prisma|jsonl)$/.test(text) ||
    /^(apps|libs|scripts|test|bench|chaos|fuzz|docs|ops|prisma|knowledge|skills|bin)\/[\w<>*./-]*$/.test(text)
  );
}

import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '#lib/testing';
import { fileOf } from '../packages.js';
import type { Place } from '../place.js';
import type { Row } from '../row.js';
import { done, invoq } from './command-line.js';
import { mustFind, storedText } from './knowledge.js';
import { markdownText, mustKeepWords, pageText } from './words.js';

interface Imported {
  readonly collection: string;
  readonly package: string;
  /** A folder or a file of the package. */
  readonly path: string;
  /** Of the files in it. */
  readonly ending: string;
  readonly text: (source: string) => string;
  readonly find: readonly [query: string, title: RegExp];
  readonly short?: true;
}

const imported: readonly Imported[] = [
  {
    collection: 'pino',
    package: 'pino',
    path: 'docs',
    ending: '.md',
    text: markdownText,
    find: ['child loggers bindings', /child|api|pino/i],
    short: true,
  },
  {
    collection: 'mastra',
    package: '@mastra/core',
    path: 'dist/docs/references',
    ending: '.md',
    text: markdownText,
    find: ['suspend and resume a workflow', /suspend|resume|workflow/i],
  },
  {
    collection: 'commonmark',
    package: 'commonmark-spec',
    path: 'spec.txt',
    ending: '.txt',
    text: markdownText,
    find: ['thematic break precedence', /./],
  },
  {
    collection: 'mcporter',
    package: 'mcporter',
    path: 'dist/docs-site',
    ending: '.html',
    text: pageText,
    find: ['tool calling cheatsheet', /tool calling/i],
  },
];

const knowledgeRows: readonly Row[] = imported.map(({ collection, package: from, path, ending, text, find, short = false }) => ({
  group: 'documents',
  name: `${ending} of ${from} as knowledge`,
  source: from,
  holds: '`invoq import knowledge` takes every file; no word is lost; a search finds it',
  short,
  attempt: async (place) => {
    const folder = fileOf(from, path);
    await done(place, 'import', 'knowledge', folder, '--collection', collection, '--tenant', place.system.tenant.id);
    const files = path.endsWith(ending) ? [folder] : globSync(`**/*${ending}`, { cwd: folder }).map((file) => join(folder, file));
    const words = mustKeepWords(
      files.map((file) => text(readFileSync(file, 'utf8'))),
      await storedText(place, collection),
    );
    await mustFind(place, ...find);
    return `${files.length} files, ${words} different words`;
  },
}));

const pdfs: Row = {
  group: 'documents',
  name: '.pdf of pdf-parse as knowledge',
  source: 'pdf-parse',
  holds: 'papers in two columns are found by a sentence; a file that is no PDF is skipped and named',
  short: false,
  attempt: async (place) => {
    const folder = fileOf('pdf-parse', 'test/data');
    const { code, text } = await invoq(place, 'import', 'knowledge', folder, '--collection', 'pdf', '--tenant', place.system.tenant.id);
    must(code === 1 && /skipped .*03-invalid\.pdf/.test(text), `the broken file was not named: ${text.slice(-400)}`);
    const stored = await storedText(place, 'pdf');
    for (const sentence of [
      'Trace-based Just-in-Time Type Specialization',
      'Solar Energy Materials',
      'Acute effect of speed exercise on nitric oxide',
    ])
      must(stored.replace(/\s+/g, ' ').includes(sentence), `"${sentence}" was lost`);
    await mustFind(place, 'nitric oxide speed exercise', /./);
    return `${stored.length} characters`;
  },
};

const memory: Row = {
  group: 'documents',
  name: '.md of pino as memory, and out again',
  source: 'pino',
  holds:
    '`invoq import memotree` takes every file, `invoq export memotree` gives every word of it back, and importing that changes nothing',
  short: true,
  attempt: async (place) => {
    const folder = fileOf('pino', 'docs');
    const printed = await done(place, 'import', 'memotree', folder, '--commit', 'pino');
    must(/Committed as/.test(printed), printed.slice(-300));
    const out = join(place.folder, 'memory');
    mkdirSync(out);
    await done(place, 'export', 'memotree', out);
    const exported = markdownIn(out);
    const given = markdownIn(folder);
    const words = mustKeepWords(
      given.map((file) => markdownText(readFileSync(join(folder, file), 'utf8'))),
      // A heading is the name of a file where it has a node of its own.
      exported.map((file) => `${file}\n${readFileSync(join(out, file), 'utf8')}`).join('\n'),
    );
    must(exported.length >= given.length, `${given.length} files went in, ${exported.length} came out`);
    const again = await done(place, 'import', 'memotree', folder, '--commit', 'again');
    must(/nothing to commit/.test(again), `the same files changed something: ${again.slice(-300)}`);
    return `${given.length} files, ${words} different words`;
  },
};

const csv: Row = {
  group: 'documents',
  name: '.csv of world-countries as profiles',
  source: 'world-countries',
  holds: '`invoq import profiles` refuses a table of something else, names the columns that are missing, and loads nothing',
  short: true,
  attempt: async (place: Place) => {
    const file = fileOf('world-countries', 'dist/countries.csv');
    const { code, text } = await invoq(place, 'import', 'profiles', file, '--tenant', place.system.tenant.id);
    must(code !== 0 && /user_id/.test(text), `ended with ${code}: ${text.slice(-400)}`);
    return text.trim().split('\n').at(-1)?.slice(0, 120) ?? '';
  },
};

export const documentRows: readonly Row[] = [...knowledgeRows, pdfs, memory, csv];

function markdownIn(folder: string): readonly string[] {
  return globSync('**/*.md', { cwd: folder });
}

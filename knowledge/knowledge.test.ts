// The starter knowledge keeps its format (README.md beside this file), and every label of the query set points to a section.
import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';

const frontMatter = z
  .strictObject({
    title: z.string().min(1),
    title_en: z.string().min(1),
    domain: z.string().regex(/^[a-z][a-z-]*$/),
    type: z.enum(['public', 'internal']),
    tags: z.array(z.string().min(1)).min(1),
    source_url: z.url({ protocol: /^https?$/ }).optional(),
    repo_path: z.string().optional(),
    source: z.string().min(1),
    updated: z.iso.date(),
  })
  .refine((page) => page.type === 'public' || page.repo_path, 'an internal page names its repo_path');

const kinds = ['keyword', 'paraphrase', 'code', 'typo', 'off_topic'] as const;

const query = z
  .strictObject({
    id: z.string().min(1),
    query: z.string().min(1).max(200),
    lang: z.enum(['zh', 'en', 'mixed']),
    kind: z.enum(kinds),
    collection: z.string(),
    split: z.enum(['development', 'held_out']),
    domain: z.string().optional(),
    relevant: z.record(z.string(), z.int().min(1).max(3)),
  })
  .refine(({ kind, relevant }) => (kind === 'off_topic') === (Object.keys(relevant).length === 0), 'only off_topic has no answer');

/** A heading with its anchor, the English summary, the key terms, the source, then the Chinese body. */
const sectionForm =
  /^(?<heading>\S.*\S) \{#(?<anchor>[a-z0-9]+(?:-[a-z0-9]+)*)\}\n\n> \*\*.+\.\*\* .+\n> \*\*Key terms:\*\* .+\n> \*\*Source:\*\* \S.+\n\n(?<body>[^\n]+)\n$/u;

const privateHost = /\/\/(?:10\.|127\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|localhost|[^/\s]+\.(?:internal|local|corp)\b)/;

const folder = import.meta.dirname;
const pages = globSync('*/*.md', { cwd: folder })
  .toSorted()
  .map((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8');
    const [, head = '', rest = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(text) ?? [];
    const [intro = '', ...sections] = rest.split(/^## /m);
    return { file, name: basename(file, '.md'), collection: dirname(file), text, meta: parse(head) as unknown, intro, sections };
  });

const found = pages.flatMap(({ collection, name, meta, sections }) =>
  sections.map((section) => {
    const { anchor = section.split('\n', 1)[0], body = '' } = sectionForm.exec(`${section.trimEnd()}\n`)?.groups ?? {};
    return { label: `${name}#${anchor}`, collection, domain: frontMatter.parse(meta).domain, body };
  }),
);

describe.each(pages.map((page) => [page.file, page] as const))('%s', (_file, { text, meta, intro, sections }) => {
  test('opens with front matter and at most one paragraph', () => {
    const { repo_path } = frontMatter.parse(meta);
    if (repo_path) expect(globSync(repo_path, { cwd: dirname(folder) })).toEqual([repo_path]);
    expect(intro.trim()).not.toContain('\n');
  });

  test('has sections of the agreed form, each with an anchor', () => {
    expect(sections.length).toBeGreaterThan(0);
    for (const section of sections) expect(`${section.trimEnd()}\n`).toMatch(sectionForm);
  });

  test('names no host of a private network', () => {
    expect(text).not.toMatch(privateHost);
  });
});

test('every section has 120–400 Chinese characters', () => {
  const lengths = found.map(({ label, body }) => ({ label, length: body.match(/\p{Script=Han}/gu)?.length ?? 0 }));
  expect(lengths.filter(({ length }) => length < 120 || length > 400)).toEqual([]);
});

test('page names and anchors name one section each', () => {
  expect(new Set(pages.map(({ name }) => name)).size).toBe(pages.length);
  expect(new Set(found.map(({ label }) => label)).size).toBe(found.length);
});

test('there is enough to answer from', () => {
  const count = (wanted: string) => found.filter(({ collection }) => collection === wanted).length;
  expect(count('health')).toBeGreaterThanOrEqual(60);
  expect(count('stripe-onboarding')).toBeGreaterThanOrEqual(30);
  expect(count('bazi')).toBeGreaterThanOrEqual(20);
  expect(count('zodiac')).toBeGreaterThanOrEqual(20);
  const healthDomains = new Set(found.filter(({ collection }) => collection === 'health').map(({ domain }) => domain));
  expect([...healthDomains].toSorted()).toEqual(['exercise', 'general', 'mental', 'nutrition', 'sleep']);
});

describe('the labelled queries', () => {
  const lines = readFileSync(`${folder}/eval/queries.jsonl`, 'utf8').trimEnd().split('\n');
  const queries = lines.map((line) => query.parse(JSON.parse(line)));

  test('point to sections of their own collection, and of their domain when they name one', () => {
    for (const { id, collection, domain, relevant } of queries) {
      for (const label of Object.keys(relevant)) {
        const section = found.find((candidate) => candidate.label === label);
        expect({ id, label, collection: section?.collection }).toEqual({ id, label, collection });
        if (domain) expect({ id, label, domain: section?.domain }).toEqual({ id, label, domain });
      }
    }
  });

  test('are different, and enough of each kind', () => {
    expect(new Set(queries.map(({ id }) => id)).size).toBe(queries.length);
    expect(new Set(queries.map((one) => one.query)).size).toBe(queries.length);
    expect(queries.length).toBeGreaterThanOrEqual(170);
    for (const wanted of kinds) expect(queries.filter(({ kind }) => kind === wanted).length).toBeGreaterThanOrEqual(20);
  });
});

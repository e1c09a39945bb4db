import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Pool } from 'pg';
import { hashedNgrams, VectorIndex, type Embedder } from '#lib/retrieval';
import { embedMissing } from '../embed-missing.js';
import { UnreadableDocument } from '../document.js';
import { KnowledgeBase } from '../knowledge-base.js';
import { readMarkdown } from '../read/markdown.js';
import { readJsonLine } from '../read/json-line.js';
import { importDocuments, type ImportSource } from './import-documents.js';

const tenantId = `test-${randomBytes(5).toString('hex')}`;
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });

/** Counts the texts that it is given. */
function counting(name: string): Embedder & { readonly texts: () => number } {
  const inner = hashedNgrams(16);
  let texts = 0;
  return {
    ...inner,
    name,
    texts: () => texts,
    embed: (given, options) => {
      if (options.kind === 'document') texts += given.length;
      return inner.embed(given, options);
    },
  };
}

const source = (path: string, text: string): ImportSource => ({ path, read: () => readMarkdown(path, text) });
const page = (...parts: readonly string[]): string => parts.map((part) => `## ${part}\n\nAbout ${part}.`).join('\n\n');

afterAll(async () => {
  await pool.query('DELETE FROM knowledge_collection WHERE tenant_id = $1', [tenantId]);
  await pool.end();
});

describe('an import', () => {
  test('embeds what has changed alone, and takes away what has gone', async () => {
    const embedder = counting(`count-a-${tenantId}`);
    const options = { pool, vectors: new VectorIndex(pool, embedder), tenantId, collection: 'changes' };
    expect(await importDocuments([source('a.md', page('one', 'two', 'three')), source('b.md', page('four'))], options)).toMatchObject({
      added: 2,
      sectionsWritten: 4,
    });
    expect(await importDocuments([source('a.md', page('one', 'two', 'three')), source('b.md', page('four'))], options)).toMatchObject({
      added: 0,
      unchanged: 2,
      sectionsWritten: 0,
    });
    expect(embedder.texts()).toBe(4);
    expect(await importDocuments([source('a.md', page('zero', 'one', 'three'))], { ...options, prune: true })).toMatchObject({
      changed: 1,
      removed: 1,
      sectionsWritten: 1,
      sectionsKept: 2,
      sectionsRemoved: 1,
    });
    expect(embedder.texts()).toBe(5);
    const knowledge = new KnowledgeBase({ pool, vectors: null });
    const titles = async (query: string) =>
      (await knowledge.search({ tenantId, collections: ['changes'], query })).hits.map(({ section }) => section.title);
    expect([await titles('zero'), await titles('two'), await titles('four')]).toEqual([['zero'], [], []]);
  });

  test('that is stopped keeps what it stored, and goes on from there', async () => {
    const stopping = new AbortController();
    const read: string[] = [];
    const sources = Array.from({ length: 450 }, (_, n): ImportSource => ({
      path: `p${n}.md`,
      read: () => {
        read.push(`p${n}`);
        return readMarkdown(`p${n}.md`, page(`part ${n}`));
      },
    }));
    const options = { pool, vectors: null, tenantId, collection: 'stopped' };
    await expect(
      importDocuments(sources, { ...options, signal: stopping.signal, onProgress: () => stopping.abort(new Error('stop')) }),
    ).rejects.toThrow('stop');
    expect(read.length).toBeLessThan(450);
    const { added, unchanged } = await importDocuments(sources, options);
    expect(added + unchanged).toBe(450);
    expect(unchanged).toBeGreaterThan(0);
  });

  test('goes on by keywords while the provider is away, and the vectors are made when it is back', async () => {
    const away: Embedder = { ...counting(`away-${tenantId}`), embed: () => Promise.reject(new Error('provider away')) };
    const report = await importDocuments([source('late.md', page('lateness'))], {
      pool,
      vectors: new VectorIndex(pool, away),
      tenantId,
      collection: 'late',
    });
    expect(report).toMatchObject({ added: 1, vectorWarning: 'provider away' });
    const back = counting(`away-${tenantId}`);
    const vectors = new VectorIndex(pool, back);
    expect(await embedMissing(pool, vectors, AbortSignal.timeout(20_000))).toBeGreaterThan(0);
    expect(await embedMissing(pool, vectors, AbortSignal.timeout(20_000))).toBe(0);
    const knowledge = new KnowledgeBase({ pool, vectors });
    const { hits, warnings } = await knowledge.search({ tenantId, collections: ['late'], query: 'lateness', legs: 'vector' });
    expect([hits[0]?.section.title, warnings]).toEqual(['lateness', []]);
  });

  test('that is run again changes nothing, however the documents are ordered and batched', async () => {
    const options = { pool, vectors: null, tenantId, collection: 'again' };
    const texts = Array.from({ length: 9 }, (_, n) => ({ path: `p${n}.md`, text: page(`part ${n}`, `other ${n}`) }));
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(texts, { minLength: 1 }), async (some) => {
        await importDocuments(
          some.map(({ path, text }) => source(path, text)),
          options,
        );
        const again = await importDocuments(
          some.toReversed().map(({ path, text }) => source(path, text)),
          options,
        );
        expect(again).toMatchObject({ added: 0, changed: 0, unchanged: some.length, sectionsWritten: 0, sectionsRemoved: 0 });
      }),
      { numRuns: 8 },
    );
  });

  test('leaves the index as one import of the last texts would, whatever came before', async () => {
    const text = fc.subarray(['one', 'two', 'three', 'four'], { minLength: 1 }).map((parts) => page(...parts));
    const version = fc.dictionary(fc.constantFrom('a.md', 'b.md', 'c.md'), text, { minKeys: 1 });
    const importAll = (files: Readonly<Record<string, string>>, collection: string) =>
      importDocuments(
        Object.entries(files).map(([path, body]) => source(path, body)),
        { pool, vectors: null, tenantId, collection, prune: true },
      );
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(version, { minLength: 1, maxLength: 3 }), async (versions) => {
        run += 1;
        for (const files of versions) await importAll(files, `changed-${run}`);
        await importAll(versions.at(-1) ?? {}, `fresh-${run}`);
        expect(await indexOf(`changed-${run}`)).toEqual(await indexOf(`fresh-${run}`));
      }),
      { numRuns: 8 },
    );
  });

  test('takes the last of two documents of one path', async () => {
    const report = await importDocuments([source('a.md', page('old')), source('a.md', page('new'))], {
      pool,
      vectors: null,
      tenantId,
      collection: 'twice',
    });
    expect(report).toMatchObject({ added: 1, sectionsWritten: 1 });
    expect(await sectionTitles('twice')).toEqual(['new']);
  });

  test('keeps two documents apart whose paths differ in a private address alone', async () => {
    const options = { pool, vectors: null, tenantId, collection: 'mirrored' };
    const pages = ['wiki.corp.local/a.md', 'wiki.corp.local/b.md'].map((path) => source(path, page(path.slice(-4, -3))));
    expect(await importDocuments(pages, options)).toMatchObject({ added: 2, notes: [] });
    expect(await sectionTitles('mirrored')).toEqual(['a', 'b']);
    const { hits } = await new KnowledgeBase({ pool, vectors: null }).search({ tenantId, collections: ['mirrored'], query: 'About a' });
    expect(hits[0]?.section.path).toBe('[private address]');
  });

  test('prunes nothing while a line of JSONL cannot be read, which may be that of any document', async () => {
    const options = { pool, vectors: null, tenantId, collection: 'lines' };
    await importDocuments([source('one', page('one')), source('two', page('two'))], options);
    const torn: ImportSource = { path: 'x.jsonl:2', read: () => Promise.reject(new UnreadableDocument('the line is no JSON')) };
    expect(await importDocuments([source('one', page('one')), torn], { ...options, prune: true })).toMatchObject({
      removed: 0,
      notes: [{ path: 'x.jsonl:2', note: 'nothing was removed from the collection: what could not be read may name any document of it' }],
    });
    expect(await sectionTitles('lines')).toEqual(['one', 'two']);
    // A line that says which document it is keeps that one alone.
    const wrong: ImportSource = { path: 'x.jsonl:2', read: () => readJsonLine('x.jsonl:2', '{"id":"two","tags":7}') };
    const third = await importDocuments([source('three', page('three')), wrong], { ...options, prune: true });
    expect(third).toMatchObject({ removed: 1, skipped: [{ path: 'x.jsonl:2' }] });
    expect(await sectionTitles('lines')).toEqual(['three', 'two']);
  });

  test('skips what cannot be read and says why; a fault of another kind ends it', async () => {
    const options = { pool, vectors: null, tenantId, collection: 'skipping' };
    const broken: ImportSource = {
      path: 'broken.md',
      read: () => {
        throw new UnreadableDocument('it is torn');
      },
    };
    expect(await importDocuments([broken, source('a.md', page('one'))], options)).toMatchObject({
      added: 1,
      skipped: [{ path: 'broken.md', reason: 'it is torn' }],
    });
    const failing: ImportSource = { path: 'x.md', read: () => Promise.reject(new Error('disk away')) };
    await expect(importDocuments([failing], options)).rejects.toThrow('disk away');
  });

  test('says what it stored otherwise than it was given, once a document', async () => {
    const text = page('see http://10.0.0.5/a', 'and http://10.0.0.6/b');
    const { notes } = await importDocuments([source('a.md', text)], { pool, vectors: null, tenantId, collection: 'noting' });
    expect(notes).toEqual([{ path: 'a.md', note: 'addresses of a private network were taken out of its text' }]);
  });

  test('prunes what it does not name, and keeps the stored version of what it names and cannot read', async () => {
    const options = { pool, vectors: null, tenantId, collection: 'pruning' };
    await importDocuments([source('a.md', page('one')), source('b.md', page('two'))], options);
    expect(await importDocuments([source('a.md', page('one'))], options)).toMatchObject({ removed: 0, unchanged: 1 });
    expect(await importDocuments([source('a.md', page('one'))], { ...options, prune: true })).toMatchObject({ removed: 1 });
    const torn: ImportSource = {
      path: 'a.md',
      read: () => {
        throw new UnreadableDocument('it is torn');
      },
    };
    expect(await importDocuments([torn], { ...options, prune: true })).toMatchObject({ removed: 0, skipped: [{ path: 'a.md' }] });
    expect(await sectionTitles('pruning')).toEqual(['one']);
  });

  test('tells its progress after each batch, with what came last', async () => {
    const seen: string[] = [];
    const sources = Array.from({ length: 401 }, (_, n) => source(`p${n}.md`, page(`part ${n}`)));
    await importDocuments(sources, {
      pool,
      vectors: null,
      tenantId,
      collection: 'progress',
      onProgress: ({ documents, path }) => seen.push(`${documents} ${path}`),
    });
    expect(seen).toEqual(['200 p199.md', '400 p399.md', '401 p400.md']);
  });

  async function sectionTitles(collection: string): Promise<readonly string[]> {
    const { rows } = await pool.query<{ title: string }>(
      `SELECT s.title FROM knowledge_section s JOIN knowledge_document d ON d.id = s.document_id JOIN knowledge_collection c ON c.id = d.collection_id
       WHERE c.tenant_id = $1 AND c.name = $2 ORDER BY d.path, s.position`,
      [tenantId, collection],
    );
    return rows.map(({ title }) => title);
  }

  /** What a collection holds: its sections in their order, and what the index counts. */
  async function indexOf(collection: string): Promise<unknown> {
    const { rows } = await pool.query(
      `SELECT r.units, r.total_length, (SELECT jsonb_object_agg(term, df) FROM retrieval_term t WHERE t.space_id = r.id AND df <> 0) AS terms
       FROM knowledge_collection c JOIN retrieval_space r ON r.name = 'knowledge:' || c.id WHERE c.tenant_id = $1 AND c.name = $2`,
      [tenantId, collection],
    );
    return [await sectionTitles(collection), rows];
  }
});

import { randomBytes } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { Pool } from 'pg';
import { hashedNgrams, VectorIndex, type Embedder } from '#lib/retrieval';
import { embedMissing } from '../embed-missing.js';
import { KnowledgeBase } from '../knowledge-base.js';
import { readMarkdown } from '../read/markdown.js';
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
});

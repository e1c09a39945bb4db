// Floors for what `npx invoq eval knowledge` measures, over the half of the questions that nothing was fitted to.
import { randomBytes } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { Pool } from 'pg';
import { importDocuments, KnowledgeBase, sourcesOfFile } from '#lib/knowledge';
import { hashedNgrams, VectorIndex } from '#lib/retrieval';
import { askedElsewhere, readLabelled } from './labelled.js';
import { measuresOf, type Measures } from './measures.js';
import { rank, systems, type SystemName } from './rankings.js';

jest.setTimeout(240_000);

const folder = join(import.meta.dirname, '../../../knowledge');
const tenantId = `quality-${randomBytes(5).toString('hex')}`;
const pool = new Pool({ connectionString: process.env['DATABASE_URL'], max: 4 });
const groundingSystems: readonly SystemName[] = ['reranked', 'keyword'];
const reached = new Map<SystemName, Measures>();

function of(system: SystemName): Measures {
  const measures = reached.get(system);
  if (!measures) throw new Error(`${system} was not measured`);
  return measures;
}

beforeAll(async () => {
  const vectors = new VectorIndex(pool, hashedNgrams());
  const labelled = readLabelled(join(folder, 'eval/queries.jsonl')).filter(({ split }) => split === 'held_out');
  for (const collection of new Set(labelled.map((one) => one.collection))) {
    const base = join(folder, collection);
    const sources = globSync('*.md', { cwd: base }).map((file) => sourcesOfFile(join(base, file), { base }));
    for (const source of sources) await importDocuments(source, { pool, vectors, tenantId, collection });
  }
  const questions = [...labelled, ...askedElsewhere(labelled)];
  const asker = { knowledge: new KnowledgeBase({ pool, vectors }), tenantId };
  for (const system of systems) {
    // What is asked elsewhere says how grounded an answer is, and nothing of the order. It is measured where grounding is.
    const asked = groundingSystems.includes(system) ? questions : labelled;
    reached.set(system, measuresOf(await rank(asker, asked, system)));
  }
});

afterAll(async () => {
  await pool.query("DELETE FROM retrieval_space WHERE name IN (SELECT 'knowledge:' || id FROM knowledge_collection WHERE tenant_id = $1)", [
    tenantId,
  ]);
  await pool.query('DELETE FROM knowledge_collection WHERE tenant_id = $1', [tenantId]);
  await pool.end();
});

describe('of the questions that were held out', () => {
  test('the order is better than that of either leg', () => {
    for (const system of ['fused', 'reranked'] as const)
      for (const leg of ['keyword', 'vector'] as const)
        expect([system, leg, of(system).ndcg > of(leg).ndcg, of(system).mrr > of(leg).mrr]).toEqual([system, leg, true, true]);
  });

  test('nine of ten answers are found', () => {
    expect(of('reranked').ndcg).toBeGreaterThan(0.9);
    expect(of('reranked').mrr).toBeGreaterThan(0.92);
    expect(of('reranked').recall).toBeGreaterThan(0.91);
    expect(of('vector').ndcg).toBeGreaterThan(0.8);
  });

  test('most are grounded, with and without vectors, and hardly any that nothing answers', () => {
    for (const system of groundingSystems) {
      const { grounded, rightlyGrounded, falselyGrounded, groundedElsewhere } = of(system);
      expect(grounded).toBeGreaterThan(0.79);
      expect(rightlyGrounded).toBeGreaterThan(0.94);
      expect(falselyGrounded).toBeLessThanOrEqual(0.13);
      expect(groundedElsewhere).toBeLessThanOrEqual(0.04);
    }
  });
});

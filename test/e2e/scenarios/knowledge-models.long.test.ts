import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Pool } from 'pg';
import { z } from 'zod';
import { eventually, givenStores, startTimeoutMs, writeTinyModel, type HttpCaller, type System } from '#lib/testing';
import { expectSuccess } from '../expectations.js';
import { importAll, resultsShape, startKnowledge } from '../knowledge-system.js';
import { verifies } from '../verifies.js';

jest.setTimeout(startTimeoutMs);

const collection = 'models';
const debugShape = z.looseObject({
  confidence_parts: z.array(z.looseObject({ title: z.string(), similarity: z.number().optional(), cross_encoder: z.number().optional() })),
});

describe('with models on this machine', () => {
  const models = mkdtempDisposableSync(join(tmpdir(), 'invoq-models-'));
  const pool = new Pool({ connectionString: givenStores().databaseUrl, max: 1 });
  const workerEnv = {
    EMBEDDING_PROVIDER: 'local',
    EMBEDDING_MODEL: 'tiny/embedder',
    RERANKER_MODEL: 'tiny/reranker',
    MODEL_DIR: models.path,
  };
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    // Two words that share no letter mean the same to it.
    const rows = { sleepless: [1, 0, 0], insomnia: [1, 0, 0], salt: [0, 1, 0], soup: [0, 1, 0.3], payout: [0, 0, 1] };
    writeTinyModel(join(models.path, 'tiny/embedder'), rows, 'embedder');
    writeTinyModel(join(models.path, 'tiny/reranker'), { insomnia: [2], salt: [1], soup: [3], payout: [1] }, 'classifier');
    system = await startKnowledge({ workerEnv });
    user = await system.caller();
    await importAll(await system.admin(), collection, [
      { path: 'nights.md', content: '# Nights\n\n## Insomnia {#insomnia}\n\ninsomnia\n' },
      { path: 'kitchen.md', content: '# Kitchen\n\n## Salt {#salt}\n\nsalt\n\n## Salt in soup {#soup}\n\nsalt soup\n' },
      { path: 'money.md', content: '# Money\n\n## Payout {#payout}\n\npayout\n' },
    ]);
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await pool.end();
    models[Symbol.dispose]();
  });

  async function vectorsOf(provider: string, dimension: number): Promise<number | null> {
    const { rows } = await pool.query<{ id: number }>('SELECT id FROM retrieval_model WHERE name = $1 AND dimension = $2', [
      provider,
      dimension,
    ]);
    const [model] = rows;
    if (!model) return null;
    const { rows: counts } = await pool.query<{ vectors: number }>(
      `SELECT count(*)::int AS vectors FROM retrieval_vector_${model.id} v JOIN retrieval_space s ON s.id = v.space_id
       JOIN knowledge_collection c ON s.name = 'knowledge:' || c.id WHERE c.tenant_id = $1`,
      [system.tenant.id],
    );
    return counts[0]?.vectors ?? 0;
  }

  verifies(['AW-35'], 'an imported section has a vector of the model, recorded with its name and dimension', async () => {
    expect(await vectorsOf('local-onnx:tiny/embedder', 3)).toBeGreaterThanOrEqual(4);
  });

  verifies(['AW-35'], 'what means the same is found though no word of it is there', async () => {
    const found = resultsShape.parse(expectSuccess((await user.call('search_knowledge', { query: 'sleepless', collection })).envelope));
    expect(found.results[0]?.title).toBe('Insomnia');
  });

  verifies(['ST-46'], 'the cross-encoder reads the best hits again and puts them in its own order', async () => {
    const { envelope } = await user.call('search_knowledge?debug=true', { query: 'salt', collection });
    const parts = debugShape.parse(envelope.debug_info).confidence_parts;
    expect(parts[0]?.title).toBe('Salt in soup');
    expect(parts[0]?.cross_encoder).toBeGreaterThan(0.9);
  });

  verifies(['AW-35'], 'after a change of provider search goes on, while the new vectors are made', async () => {
    await using next = await startKnowledge({ workerEnv: { EMBEDDING_PROVIDER: 'hashed-ngrams', EMBEDDING_DIMENSION: '48' } });
    const there = user.at(next.gateway.url);
    const ask = async () =>
      resultsShape.parse(expectSuccess((await there.call('search_knowledge?cache=false', { query: 'insomnia', collection })).envelope))
        .results[0]?.title;
    expect(await ask()).toBe('Insomnia');
    const before = await vectorsOf('local-onnx:tiny/embedder', 3);
    await eventually(async () => (await vectorsOf('hashed-ngrams:v3', 48)) === before, {
      withinMs: 30_000,
      what: 'vectors of the new provider',
    });
    expect(await ask()).toBe('Insomnia');
    // The old ones stay, for the way back.
    expect(await vectorsOf('local-onnx:tiny/embedder', 3)).toBe(before);
  });
});

import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { ProviderError } from '../provider-error.js';
import { createReranker, rerankerSettings } from './create-reranker.js';

const settings = z.object(rerankerSettings);

test('there is none unless RERANKER_MODEL names one', () => {
  expect(createReranker(settings.parse({}))).toBeUndefined();
  expect(createReranker(settings.parse({ RERANKER_MODEL: 'Xenova/bge' }))?.name).toBe('local-cross-encoder:Xenova/bge');
});

test('a model that is not in MODEL_DIR says so when it is used, and is looked for again', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-models-'));
  const reranker = createReranker({ RERANKER_MODEL: 'none/such', MODEL_DIR: folder.path });
  for (let attempt = 0; attempt < 2; attempt++) {
    const failed: unknown = await reranker?.score('q', ['a']).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ProviderError);
    expect(String(failed)).toMatch(/the cross-encoder none\/such does not load from|@huggingface\/transformers/);
  }
});

import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { localOnnx } from './local-onnx.js';

test('a local model that is not there says so, and is looked for again', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-models-'));
  const embedder = localOnnx({ model: 'none/such', directory: folder.path });
  for (let attempt = 0; attempt < 2; attempt++) await expect(embedder.dimension()).rejects.toThrow(/none\/such|@huggingface\/transformers/);
});

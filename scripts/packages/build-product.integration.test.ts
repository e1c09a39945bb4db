// What is in the package of the product, found at once; that packages work when they are installed is for the long tests.
import { mkdtempDisposableSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundleProduct } from './build-product.js';

test('the package of the product has every package that the product needs', async () => {
  using place = mkdtempDisposableSync(join(tmpdir(), 'invoq-product-'));
  const { bundled, imported, brought } = await bundleProduct(place.path);
  expect(bundled).toEqual(expect.arrayContaining(['fastify', 'bullmq', '@bull-board/api', '@opentelemetry/sdk-metrics']));
  expect(imported.filter((name) => /^@opentelemetry|^bullmq$/.test(name))).toEqual([]);
  expect(imported).toEqual(expect.arrayContaining(['@myriaddreamin/typst-ts-web-compiler', 'fontverter', 'pg']));
  const fonts = readdirSync(join(place.path, 'node_modules/@expo-google-fonts/noto-sans-sc'), { recursive: true, encoding: 'utf8' });
  expect(fonts.filter((file) => file.endsWith('.ttf')).toSorted()).toEqual([
    '400Regular/NotoSansSC_400Regular.ttf',
    '700Bold/NotoSansSC_700Bold.ttf',
  ]);
  // npm installs nothing for what an archive brings.
  expect(brought).toEqual(expect.arrayContaining(['@prisma/client', '@prisma/client-runtime-utils']));
}, 120_000);

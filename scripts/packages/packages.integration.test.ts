// Types of a package are rolled into one file, so two declarations of one name keep it from being built. Found here at once; that the packages
// work when they are installed is for the long tests.
import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bundleProduct } from './build-product.js';
import { packages } from './packages.js';

test('the libraries can be packed', () => {
  using out = mkdtempDisposableSync(join(tmpdir(), 'invoq-packed-'));
  const names = packages.map(({ name }) => name);
  const { status, stderr } = spawnSync(process.execPath, ['dist/scripts/packages/main.js', ...names, '--out', out.path], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const archives = readdirSync(out.path, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tgz'));
  expect(archives).toHaveLength(names.length);
}, 120_000);

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

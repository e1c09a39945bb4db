import { existsSync, mkdirSync, mkdtempDisposableSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
// @ts-expect-error -- plain JavaScript, which runs before anything is built
import { isTrimmedToProduct, trimPackages } from './trim.mjs';

const packagedNode = `node-${process.platform}-${process.arch}/bin/node`;
const unread = [
  `node-${process.platform}-${process.arch}/include/node/node.h`,
  '@prisma/client/runtime/query_compiler_small_bg.mysql.wasm-base64.mjs',
  '@prisma/client/runtime/query_compiler_fast_bg.postgresql.mjs',
  '@prisma/client/runtime/query_compiler_small_bg.postgresql.wasm-base64.js',
  '@electric-sql/pglite/dist/index.cjs',
  '@electric-sql/pglite/dist/pgcrypto.tar.gz',
  '@expo-google-fonts/noto-sans-sc/100Thin/NotoSansSC_100Thin.ttf',
  '@expo-google-fonts/noto-sans/700Bold_Italic/NotoSans_700Bold_Italic.ttf',
];
const ofDevelopers = ['zod/index.d.ts', 'zod/src/index.ts', 'zod/index.js.map', 'zod/README.md', 'docx/index.iife.js'];
const needed = [
  '@prisma/client/runtime/client.mjs',
  '@prisma/client/runtime/query_compiler_small_bg.postgresql.wasm-base64.mjs',
  '@prisma/client/runtime/query_compiler_small_bg.postgresql.mjs',
  '@electric-sql/pglite/dist/pg_trgm.tar.gz',
  '@electric-sql/pglite/dist/pglite.wasm',
  '@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf',
  '@expo-google-fonts/noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf',
  'other/100Thin/data.ttf',
  'zod/LICENSE.md',
  'zod/index.js',
  packagedNode,
  '.cache/invoq/postgres-0/global/pg_filenode.map',
];

/** Which files are left of an installation, and what became of the packaged Node. */
function trimmed(options: { readonly product: boolean; readonly node?: string }) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-trim-'));
  const at = (file: string): string => join(folder.path, 'node_modules', file);
  const put = (file: string): void => {
    mkdirSync(dirname(at(file)), { recursive: true });
    writeFileSync(at(file), 'packaged');
  };
  for (const file of [...unread, ...ofDevelopers, ...needed, '.package-lock.json']) put(file);
  const trim = (): void => trimPackages(folder.path, { node: at(packagedNode), ...options });
  trim();
  const left = (): string[] => [...unread, ...ofDevelopers, ...needed].filter((file) => existsSync(at(file)));
  return { root: folder.path, at, put, trim, left, [Symbol.dispose]: () => folder.remove() };
}

test('what nobody reads is removed', () => {
  using folder = trimmed({ product: false });
  expect(folder.left()).toEqual([...ofDevelopers, ...needed]);
  expect(isTrimmedToProduct(folder.root)).toBe(false);
});

test('where only the product runs, so are types, maps and manuals, but no licence', () => {
  using folder = trimmed({ product: true });
  expect(folder.left()).toEqual(needed);
  expect(isTrimmedToProduct(folder.root)).toBe(true);
});

test('it is done once for each installation', () => {
  using folder = trimmed({ product: true });
  folder.put('zod/index.d.ts');
  folder.trim();
  expect(folder.left()).toContain('zod/index.d.ts');
  rmSync(folder.at('.package-lock.json'));
  folder.put('.package-lock.json');
  folder.trim();
  expect(folder.left()).toEqual(needed);
});

test('where Node is new enough, the packaged one is a link to it', () => {
  using folder = trimmed({ product: false, node: process.execPath });
  expect(realpathSync(folder.at(packagedNode))).toBe(realpathSync(process.execPath));
});

test('where it is not, the packaged one stays', () => {
  using folder = trimmed({ product: false });
  expect(readFileSync(folder.at(packagedNode), 'utf8')).toBe('packaged');
});

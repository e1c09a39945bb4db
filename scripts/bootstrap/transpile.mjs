// Writes the JavaScript of TypeScript sources to dist, each file to its place. Run by compile.mjs, on Node 24. Arguments: the folders.
import { globSync, mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { transformFile } from '@swc/core';
import { isSource } from './sources.mjs';

const swcrc = JSON.parse(readFileSync('.swcrc', 'utf8'));
const files = process.argv.slice(2).flatMap((folder) => globSync(`${folder}/**/*.ts`).filter(isSource));
for (const folder of new Set(files.map((file) => join('dist', dirname(file))))) mkdirSync(folder, { recursive: true });
const waiting = files.values();
await Promise.all(Array.from({ length: availableParallelism() * 2 }, transpileRest));

async function transpileRest() {
  for (const file of waiting) {
    const built = join('dist', file.replace(/\.ts$/, '.js'));
    const { code, map } = await transformFile(file, { ...swcrc, swcrc: false, outputPath: built });
    await Promise.all([writeFile(built, `${code}\n//# sourceMappingURL=${basename(built)}.map`), writeFile(`${built}.map`, map)]);
  }
}

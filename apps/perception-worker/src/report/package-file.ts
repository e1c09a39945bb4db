import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';

const decompress = promisify(zstdDecompress);

/** Reads a file of a package, by its specifier. The package `invoq` has large ones compressed, as `<file>.zst`: scripts/packages/compress.ts. */
export async function readPackageFile(specifier: string): Promise<Buffer> {
  const path = fileURLToPath(import.meta.resolve(specifier));
  try {
    return await readFile(path);
  } catch (error) {
    const compressed = await readFile(`${path}.zst`).catch(() => null);
    if (compressed === null) throw error;
    return decompress(compressed);
  }
}

import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';

/** A process for a report reads them whole: readPackageFile of apps/perception-worker. */
const large = 'node_modules/{@expo-google-fonts/*/*/*.ttf,@myriaddreamin/typst-ts-web-compiler/pkg/*.wasm}';
/** Of 22. The highest is a tenth smaller, and takes ten times as long. */
const params = { [constants.ZSTD_c_compressionLevel]: 12 };

/** Compresses the large files that the archive brings: they are 51 MB, and 21 so. @param place the folder of the package */
export function compressLargeFiles(place: string): void {
  for (const file of globSync(large, { cwd: place }).map((name) => join(place, name))) {
    writeFileSync(`${file}.zst`, zstdCompressSync(readFileSync(file), { params }));
    rmSync(file);
  }
}

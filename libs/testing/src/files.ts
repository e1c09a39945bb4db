import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ExpiringFiles, openDisk } from '#lib/files';

/** The folder of a namespace's files. `testRedis` removes it with the keys. */
export const testFilesFolder = (namespace: string): string => join(tmpdir(), `invoq-${namespace}`);

/** The file store of a namespace. Its folder comes into being with the first file. */
export function testFiles(namespace: string): ExpiringFiles {
  return new ExpiringFiles(() => openDisk({ FILES_DIR: testFilesFolder(namespace), FILES_S3_REGION: 'none' }));
}

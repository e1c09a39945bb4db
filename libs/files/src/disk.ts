import { resolve } from 'node:path';
import type { FileSettings } from '#lib/platform';
import type { FileDisk } from './file-disk.js';
import { FolderDisk } from './folder-disk.js';

/** The storage that the settings name. */
export async function openDisk(settings: FileSettings): Promise<FileDisk> {
  const { FILES_S3_BUCKET: bucket, FILES_S3_ENDPOINT: endpoint, FILES_S3_REGION: region } = settings;
  if (!bucket) return new FolderDisk(resolve(settings.FILES_DIR));
  const { BucketDisk } = await import('./bucket-disk.js');
  return new BucketDisk({ bucket, endpoint, region });
}

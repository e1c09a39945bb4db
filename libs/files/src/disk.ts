// Where the bytes are: a bucket of an S3-compatible store, or a folder that every process of the installation sees.
import { resolve } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import { z } from 'zod';

export const fileSettings = {
  /** Used when there is no bucket. */
  FILES_DIR: z.string().default('.data/files'),
  FILES_S3_BUCKET: z.string().optional(),
  /** Of a store that is not Amazon's; buckets are then part of its paths. Credentials are those of the AWS SDK's own variables. */
  FILES_S3_ENDPOINT: z.url().optional(),
  FILES_S3_REGION: z.string().default('us-east-1'),
} as const;

export type FileSettings = z.output<z.ZodObject<typeof fileSettings>>;

export async function openDisk(settings: FileSettings): Promise<Disk> {
  const { FILES_S3_BUCKET: bucket, FILES_S3_ENDPOINT: endpoint, FILES_S3_REGION: region, FILES_DIR: folder } = settings;
  // The gateway reads for all, so nothing in the store itself is public.
  const visibility = 'private';
  if (!bucket) return new Disk(new FSDriver({ location: resolve(folder), visibility }));
  // Loaded when used: the SDK is large.
  const { S3Driver } = await import('flydrive/drivers/s3');
  return new Disk(
    new S3Driver({ bucket, region, visibility, supportsACL: false, maxAttempts: 1, ...(endpoint && { endpoint, forcePathStyle: true }) }),
  );
}

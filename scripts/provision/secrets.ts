import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { DataDir } from './data-dir.js';

export interface Secrets {
  /** `id:key`, the key 32 bytes in base64. */
  readonly SEALING_KEYS: string;
}

const stored = z.object({ SEALING_KEYS: z.string().optional() });

/** The secrets of the environment, else those of this data folder, which are generated once and kept across restarts. */
export function secretsFor(dataDir: DataDir): Secrets {
  const { data = {} } = stored.safeParse(dataDir.readJson('secrets.json'));
  const kept = { SEALING_KEYS: data.SEALING_KEYS ?? `k1:${randomBytes(32).toString('base64')}` };
  dataDir.write('secrets.json', `${JSON.stringify(kept, null, 2)}\n`);
  return { SEALING_KEYS: process.env['SEALING_KEYS'] || kept.SEALING_KEYS };
}

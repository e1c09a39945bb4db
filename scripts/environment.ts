import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadEnvFile } from 'node:process';
import { root } from './root.js';

/** Reads `.env` where there is one; what the shell already set wins. */
export function loadDotEnv(): void {
  const file = join(root, '.env');
  if (existsSync(file)) loadEnvFile(file);
}

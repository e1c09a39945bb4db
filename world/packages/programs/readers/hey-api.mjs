import { readdirSync } from 'node:fs';
import { createClient } from '@hey-api/openapi-ts';

const { file, out } = JSON.parse(process.env.WORLD_TASK);
await createClient({ input: file, output: out, logs: { level: 'error', file: false } });
console.log(`${readdirSync(out).length} files`);

import { readFileSync } from 'node:fs';
import { generate } from 'orval';

const { file, out } = JSON.parse(process.env.WORLD_TASK);
await generate({ input: { target: file }, output: { target: `${out}/client.ts`, client: 'fetch' } });
console.log(`${readFileSync(`${out}/client.ts`, 'utf8').length} characters of a client`);

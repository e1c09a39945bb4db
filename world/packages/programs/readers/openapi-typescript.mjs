import { readFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const { file } = JSON.parse(process.env.WORLD_TASK);
const text = astToString(await openapiTS(readFileSync(file, 'utf8')));
console.log(`${text.length} characters of types`);

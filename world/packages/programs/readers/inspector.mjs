import { spawnSync } from 'node:child_process';

const { url, key } = JSON.parse(process.env.WORLD_TASK);
const cli = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
const args = ['--cli', url, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, '--method', 'tools/list', '--strict'];
const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
console.error(stderr.slice(-1_500));
if (status === 0) console.log(`${JSON.parse(stdout).tools.length} tools`);
process.exit(status ?? 1);

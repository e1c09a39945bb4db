// An agent that calls the Inspector in a shell reads what that prints.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { askAll, textOf } from './host.mjs';
import { key, mcpUrl } from './task.mjs';

const cli = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';

async function inspect(...args) {
  const all = [cli, '--cli', mcpUrl, '--transport', 'http', '--header', `Authorization: Bearer ${key}`, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, all, { maxBuffer: 64 * 1024 * 1024 }).catch((error) => error);
  return JSON.parse(stdout);
}

const { tools } = await inspect('--method', 'tools/list');
await askAll(tools, async (name, input) => {
  const values = Object.entries(input).flatMap(([field, value]) => ['--tool-arg', `${field}=${value}`]);
  return textOf(await inspect('--method', 'tools/call', '--tool-name', name, ...values));
});

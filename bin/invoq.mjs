#!/usr/bin/env node
// `npx invoq`, on whatever Node the machine has (20 or newer): runs apps/cli on Node 24. What starts the product, and a clone that is not
// built or was changed since, goes the way of all commands, through scripts/run.mjs, which installs and builds what is missing.
import { dirname, join } from 'node:path';
import { isCliReady, packagedNode24 } from '../scripts/bootstrap/ready-cli.mjs';
import { runChild } from '../scripts/bootstrap/run-child.mjs';

process.env.INIT_CWD ||= process.cwd();
const root = dirname(import.meta.dirname);
const args = process.argv.slice(2);
const node = Number.parseInt(process.versions.node, 10) >= 24 ? process.execPath : packagedNode24(root);

if (node !== undefined && !args.some((arg) => ['dev', 'deploy-check', 'test'].includes(arg)) && isCliReady(root)) {
  process.chdir(root);
  runChild(node, ['--import', '#source-maps', 'dist/apps/cli/src/main.js', ...args], {
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(root, 'node_modules/.cache/node-compile'),
  });
} else {
  process.argv.splice(2, 0, 'apps/cli/src');
  await import('../scripts/run.mjs');
}

#!/usr/bin/env node
// `npx invoq`, on whatever Node the machine has (20 or newer): runs apps/cli, on Node 24 but for what is quick. What starts the product,
// and a clone that is not built or was changed since, goes the way of all commands, through scripts/run.mjs, which installs and builds
// what is missing.
import module from 'node:module';
import { dirname, join } from 'node:path';
import { runsOnAnyNode } from '../scripts/bootstrap/any-node.mjs';
import { isCliReady, packagedNode24 } from '../scripts/bootstrap/ready-cli.mjs';

process.env.INIT_CWD ||= process.cwd();
const root = dirname(import.meta.dirname);
const args = process.argv.slice(2);
const isNode24 = Number.parseInt(process.versions.node, 10) >= 24;
const node24 = isNode24 ? process.execPath : packagedNode24(root);
const compiled = process.env.NODE_COMPILE_CACHE || join(root, 'node_modules/.cache/node-compile');

if (node24 === undefined || args.some((arg) => ['dev', 'deploy-check', 'test'].includes(arg)) || !isCliReady(root)) {
  process.argv.splice(2, 0, 'apps/cli/src');
  await import('../scripts/run.mjs');
} else if (isNode24 || runsOnAnyNode(args)) {
  process.chdir(root);
  // Node 20 has neither.
  module.enableCompileCache?.(compiled);
  if (isNode24) await import('#source-maps');
  await import('../dist/apps/cli/src/main.js');
} else {
  const { runChild } = await import('../scripts/bootstrap/run-child.mjs');
  process.chdir(root);
  runChild(node24, ['--import', '#source-maps', 'dist/apps/cli/src/main.js', ...args], { NODE_COMPILE_CACHE: compiled });
}

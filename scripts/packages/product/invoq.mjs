#!/usr/bin/env node
// The command of the package, on whatever Node the machine has (20 or newer). The folder in which it is typed is the project: its .env
// has settings, and its .data holds what a run on this machine keeps.
import { existsSync } from 'node:fs';
import module from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runsOnAnyNode } from '../../bootstrap/any-node.mjs';
import { findNode24 } from '../../bootstrap/node24.mjs';
import { runChild } from '../../bootstrap/run-child.mjs';

const project = process.cwd();
const root = dirname(import.meta.dirname);
const main = 'dist/apps/cli/src/main.js';
const args = process.argv.slice(2);

try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const node = runsOnAnyNode(args) ? undefined : findNode24(root);
  const env = { INIT_CWD: project, INVOQ_DATA_DIR: resolve(project, process.env.INVOQ_DATA_DIR || '.data') };
  const compiled = process.env.NODE_COMPILE_CACHE || join(root, '.cache');
  // Its imports and its files are looked for where it is installed.
  process.chdir(root);
  if (node === undefined) {
    Object.assign(process.env, env);
    // Node 20 has none.
    module.enableCompileCache?.(compiled);
    await import(pathToFileURL(join(root, main)));
  } else {
    runChild(node, ['--import', '#source-maps', main, ...args], { ...env, NODE_COMPILE_CACHE: compiled });
  }
} catch (error) {
  console.error(error.expected ? `error: ${error.message}` : error);
  process.exitCode = 1;
}

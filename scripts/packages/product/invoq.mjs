#!/usr/bin/env node
// The command of the package, on whatever Node the machine has (20 or newer). The folder in which it is typed is the project: its .env
// has settings, and its .data holds what a run on this machine keeps.
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { findNode24 } from '../../bootstrap/node24.mjs';
import { runChild } from '../../bootstrap/run-child.mjs';

const project = process.cwd();
const root = dirname(import.meta.dirname);

try {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const node = findNode24(root);
  const env = { INIT_CWD: project, INVOQ_DATA_DIR: resolve(project, process.env.INVOQ_DATA_DIR || '.data') };
  // Its imports and its files are looked for where it is installed.
  process.chdir(root);
  runChild(node, ['--import', '#source-maps', 'dist/apps/cli/src/main.js', ...process.argv.slice(2)], {
    ...env,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE || join(root, '.cache'),
  });
} catch (error) {
  console.error(error.expected ? `error: ${error.message}` : error);
  process.exitCode = 1;
}

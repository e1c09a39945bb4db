// Options of esbuild for bundles that are made from the sources, without compiling them first.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { transform } from '@swc/core';
import { bundling, root } from './bundling.mjs';

const swcrc = JSON.parse(readFileSync(join(root, '.swcrc'), 'utf8'));

/** esbuild keeps no types for decorators, by which Nest finds what to inject. */
const decorated = {
  name: 'decorated',
  setup({ onLoad }) {
    onLoad({ filter: /\/(apps|libs)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!/^ *@[A-Z]\w*\(/m.test(source)) return undefined;
      const { code } = await transform(source, { ...swcrc, swcrc: false, filename: path, sourceMaps: 'inline' });
      return { contents: code, loader: 'ts' };
    });
  },
};

export const fromSources = {
  ...bundling,
  outbase: '.',
  conditions: ['invoq-source', 'module'],
  plugins: [...bundling.plugins, decorated],
};

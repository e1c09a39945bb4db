// What each entry of a bundle loads when it starts, without what it imports later. A test compares it with what may be loaded only where
// it is used.
import { isBuiltin } from 'node:module';

/** The packages by entry, bundled or not. What is imported later is an entry of its own. @param outputs of a metafile of esbuild */
export function loadedAtOnce(outputs) {
  const entries = Object.keys(outputs).filter((file) => outputs[file].entryPoint);
  return Object.fromEntries(
    entries.map((entry) => [outputs[entry].entryPoint, [...packagesOf(entry, outputs)].toSorted((a, b) => (a < b ? -1 : 1))]),
  );
}

function packagesOf(entry, outputs) {
  const [reached, packages] = [new Set([entry]), new Set()];
  for (const file of reached) {
    const { inputs, imports } = outputs[file];
    for (const [input, { bytesInOutput }] of Object.entries(inputs))
      if (bytesInOutput > 0 && input.includes('node_modules/')) packages.add(packageIn(input.split('node_modules/').at(-1)));
    for (const { path, kind, external } of imports)
      // What a package requires may be anywhere in its code; only an import is sure to be carried out.
      if (kind === 'import-statement' && !external) reached.add(path);
      else if (kind === 'import-statement' && !isBuiltin(path)) packages.add(packageIn(path));
  }
  return packages;
}

function packageIn(path) {
  return /^(?:@[^/]+\/)?[^/]+/.exec(path)[0];
}

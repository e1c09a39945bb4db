// Removes files of installed packages that nothing here reads.
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const otherWeights = /^(?!400Regular\/|700Bold\/)\d00/;
/** Files by package. */
const unread = {
  // Headers for C, 67 MB: nothing here is compiled with them.
  [`node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`]: /^include\//,
  // Compilers for other databases and platforms, the larger one for this (`compilerBuild` in prisma/schema), and all as CommonJS.
  '@prisma/client': /^runtime\/(query_compiler_(?!small_bg\.postgresql\.(wasm-base64\.)?mjs$)|wasm-compiler-edge\.)/,
  // CommonJS, and extensions that no schema of ours creates.
  '@electric-sql/pglite': /\.cjs$|^dist\/(?!pg_trgm\.)[\w-]+\.tar\.gz$/,
  // Documents have two weights of a font.
  '@expo-google-fonts/noto-emoji': otherWeights,
  '@expo-google-fonts/noto-sans': otherWeights,
  '@expo-google-fonts/noto-sans-sc': otherWeights,
};
/** Types, maps and manuals are for those who change the product. Node loads no TypeScript from packages. */
const forDevelopers = /^(?!.*licen[cs]e[^/]*$).*\.([cm]?tsx?|map|markdown|mdx?)$/i;
/** What a manifest gives to browsers. */
const forBrowsers = /\.(iife|umd)\.[cm]?js$|\.woff$/;
/** Not of packages: templates of databases are there, which have files that end like maps. */
const kept = /^\.cache\//;

/**
 * Once for each installation.
 * @param options `product`: what only developers need goes too. `node`: the Node on which the product runs.
 */
export function trimPackages(root, { product, node }) {
  const modules = join(root, 'node_modules');
  const stamp = join(modules, '.trimmed');
  const installed = statSync(join(modules, '.package-lock.json'), { throwIfNoEntry: false })?.mtimeMs;
  const state = JSON.stringify({ installed, product });
  if (installed === undefined || read(stamp) === state) return;

  for (const [name, pattern] of Object.entries(unread)) removeFiles(join(modules, name), pattern);
  if (product) for (const pattern of [forDevelopers, forBrowsers]) removeFiles(modules, pattern);
  linkPackagedNode(modules, node);
  writeFileSync(stamp, state);
}

/** Whether an installation of the product is without a file of a package. */
export function isLeftOut(name, file) {
  return [unread[name], forDevelopers, forBrowsers].some((pattern) => pattern?.test(file));
}

/** Whether what developers need was removed. */
export function isTrimmedToProduct(root) {
  const state = read(join(root, 'node_modules', '.trimmed'));
  return state !== null && JSON.parse(state).product === true;
}

/** Node is in the packages for machines with an older one. `npx node` is still the one on which the product runs. */
function linkPackagedNode(modules, node) {
  const packaged = join(modules, `node-${process.platform}-${process.arch}`, 'bin/node');
  // Without rights of an administrator, Windows makes no links.
  if (process.platform === 'win32' || !existsSync(packaged) || realpathSync(packaged) === realpathSync(node)) return;
  rmSync(packaged);
  symlinkSync(node, packaged);
}

function removeFiles(folder, pattern) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const name = file.slice(folder.length + 1).replaceAll('\\', '/');
    if (entry.isFile() && pattern.test(name) && !kept.test(name)) rmSync(file);
  }
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

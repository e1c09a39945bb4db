// What a document may name: the files of the repository, its npm scripts, and the words of its sources.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ignored = new Set(['node_modules', 'dist', '.data', '.git', 'generated']);
const sourceFolders = ['apps', 'libs', 'scripts', 'test', 'bench', 'chaos', 'fuzz', 'security', 'world', 'prisma', 'deploy', 'clients'];

/** Paths of all files and folders, relative to the root; folders end in `/`. */
export function allPaths(folder = '.'): readonly string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !ignored.has(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? [`${path}/`, ...allPaths(path)] : [path];
    });
}

/**
 * Whether a path of a document exists. It may be the end of a longer one (`derive/job-options.ts`), a built file (`dist/x.js` of `x.ts`),
 * and may have placeholders (`apps/<domain>-worker`, `libs/*`).
 */
export function pathExists(path: string, paths: readonly string[]): boolean {
  const source = path.startsWith('dist/') ? path.slice('dist/'.length).replace(/\.js$/, '.ts') : path;
  const pattern = source
    .replace(/\/$/, '')
    .split(/<[^>]*>|\*/)
    .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('[^/]*');
  const whole = new RegExp(`(^|/)${pattern}/?$`);
  return paths.some((one) => whole.test(one));
}

/** Every word of the sources and of the configuration at the root, for names that a document quotes. */
export function sourceWords(paths: readonly string[]): ReadonlySet<string> {
  const isSource = (path: string): boolean =>
    sourceFolders.some((folder) => path.startsWith(`${folder}/`)) &&
    !path.startsWith('test/documents/') &&
    // The sources have a metric that alerts ask for, not the alerts.
    path !== 'deploy/helm/invoq/alerts.yml' &&
    /\.(ts|mjs|py|prisma|sql|yml|yaml|tpl)$/.test(path);
  const files = paths.filter((path) => isSource(path) || path === 'docker-compose.yml');
  return new Set(files.flatMap((path) => readFileSync(path, 'utf8').match(/[\w-]+/g) ?? []));
}

/** Names of files in the comments of a source, such as `derive/job-options.ts`. One letter, as in `x.md`, is an example. */
export function filesInComments(source: string): readonly string[] {
  const comments = source.split('\n').flatMap((line) => /(?:^|\s)(?:\/\/|\*|#|--)\s(.*)$/.exec(line)?.[1] ?? []);
  const names = comments.flatMap((comment) => comment.match(/(?<![\w/.*>-])[\w./-]*\w\.(?:ts|mjs|cjs|md|prisma|yml)\b/g) ?? []);
  return names.map((name) => name.replace(/^(\.{1,2}\/)+/, '')).filter((name) => !/^[a-z]\./.test(name));
}

export function npmScripts(): ReadonlySet<string> {
  const { scripts }: { readonly scripts: Readonly<Record<string, string>> } = JSON.parse(readFileSync('package.json', 'utf8'));
  return new Set(Object.keys(scripts));
}

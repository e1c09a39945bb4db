// The lists of tools, written from the files of the tools: of all contracts, and of the handlers of each worker.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The shapes of what a list names. A file without one, such as a file of shared fields, is no tool. */
export const contractShape = /^export const (\w+) = (?:\w+Tool|defineTool)\(/;
export const handlerShape = /^export const (handle\w+) = /;

export const contractList = 'libs/contracts/src/tools/index.ts';

const contractPattern = 'libs/contracts/src/tools/**/*.ts';
const handlerPattern = 'apps/*-worker/src/tools/*.ts';
const mainPattern = 'apps/*-worker/src/main.ts';

interface List {
  readonly file: string;
  /** Its first line. */
  readonly says: string;
  readonly shape: RegExp;
}

const localList: List = {
  file: 'apps/agent-worker/src/tools/local.ts',
  says: "The agent's own tools. Callers reach them at the gateway; a turn runs them in its own process.",
  shape: /^export const (handle\w+) = handleLocal\(/,
};

/** The list of handlers of a worker. @param worker such as `profile-worker` */
export function handlerList(worker: string): string {
  return `apps/${worker}/src/tools/index.ts`;
}

/** All lists as they should be, by their files. @param sources texts by path, of the tools and of the workers at least */
export function toolLists(sources: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const workers = [...sources.keys()].flatMap((file) => /^apps\/([\w-]+-worker)\/src\/main\.ts$/.exec(file)?.[1] ?? []);
  const lists: readonly List[] = [
    {
      file: contractList,
      says: 'All tools of the product. A worker does not start when a contract of its domain has no handler, or the reverse.',
      shape: contractShape,
    },
    ...workers.map((worker) => ({ file: handlerList(worker), says: 'All handlers of this worker.', shape: handlerShape })),
    ...(workers.includes('agent-worker') ? [localList] : []),
  ];
  return new Map(lists.map((list) => [list.file, textOf(list, sources)]));
}

/** The lists of a repository that are not as they should be, by their files. */
export function staleToolLists(root: string): ReadonlyMap<string, string> {
  const files = [contractPattern, handlerPattern, mainPattern].flatMap((pattern) => globSync(pattern, { cwd: root }));
  const sources = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));
  return new Map([...toolLists(sources)].filter(([file, text]) => sources.get(file) !== text));
}

function textOf({ file, says, shape }: List, sources: ReadonlyMap<string, string>): string {
  const folder = dirname(file);
  const everyLine = new RegExp(shape.source, 'gm');
  const lines = [...sources]
    .filter(([path]) => path.startsWith(`${folder}/`) && !path.endsWith('.test.ts'))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([path, text]) =>
      [...text.matchAll(everyLine)].map(([, name]) => `export { ${name} } from './${relative(folder, path).replace(/ts$/, 'js')}';`),
    );
  const all = lines.length > 0 ? lines : ['export {};'];
  return [`// ${says} \`npm run format\` writes this list.`, ...all, ''].join('\n');
}

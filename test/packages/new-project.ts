// An empty folder in which npm installs a package of ours from its archive, as those who use it do.
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, mkdtempDisposableSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const manifest = z.object({ dependencies: z.record(z.string(), z.string()).optional() });
const failed = z.object({ code: z.number(), stdout: z.string(), stderr: z.string() });

export interface ProgramResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface NewProject extends Disposable {
  readonly folder: string;
  /** Builds another package of ours, and installs it too. */
  readonly install: (name: string) => Promise<void>;
  /** A package of this repository's own, under the name that others know it by. */
  readonly link: (name: string, ours?: string) => void;
  /** A project in a folder below this one, which uses what is installed here. */
  readonly below: (path: string) => NewProject;
  readonly write: (file: string, text: string) => void;
  /** Runs a file with Node in the folder. */
  readonly node: (file: string, ...args: readonly string[]) => Promise<ProgramResult>;
  /** Compiles with the options of tsconfig.json and these. */
  readonly compile: (...options: readonly string[]) => Promise<ProgramResult>;
}

/** As npm would, where it would have to ask its registry: the package beside what it says it needs, and nothing else. */
async function unpack(
  archive: string,
  { name, folder, dependencies }: { readonly name: string; readonly folder: string; readonly dependencies: readonly string[] },
): Promise<void> {
  const place = join(folder, 'node_modules', name);
  mkdirSync(place, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', place, '--strip-components=1']);
  for (const dependency of dependencies) linkPackage(folder, dependency, dependency);
}

/** Builds the package and installs it without a network. @param env for the programs of the project, which have no other variables */
export async function newProject(name: string, env: Readonly<Record<string, string>>): Promise<NewProject> {
  const temporary = mkdtempDisposableSync(join(tmpdir(), 'invoq-project-'));
  writeFileSync(join(temporary.path, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
  const project = projectIn(temporary.path, env);
  await project.install(name);
  return { ...project, [Symbol.dispose]: () => temporary[Symbol.dispose]() };
}

function projectIn(folder: string, env: Readonly<Record<string, string>>): NewProject {
  const inFolder = { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...env } };
  const program = (file: string, ...args: readonly string[]): Promise<ProgramResult> =>
    run(process.execPath, [file, ...args], inFolder).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: unknown) => failed.parse(error),
    );
  return {
    folder,
    install: async (name) => {
      await run(process.execPath, ['dist/scripts/packages/main.js', name, '--out', folder]);
      const file = name.replace('@', '').replace('/', '-');
      const [archive = ''] = globSync(`${file}-[0-9]*.tgz`, { cwd: folder });
      const { dependencies } = manifest.parse(JSON.parse(readFileSync(join(folder, file, 'package.json'), 'utf8')));
      if (!dependencies) await run('npm', ['install', `./${archive}`, '--offline', '--no-audit', '--no-fund'], inFolder);
      else await unpack(join(folder, archive), { name, folder, dependencies: Object.keys(dependencies) });
    },
    link: (name, ours = name) => linkPackage(folder, name, ours),
    below: (path) => projectIn(join(folder, path), env),
    write: (file, text) => writeFileSync(join(folder, file), text),
    node: program,
    compile: (...options) => program(join(process.cwd(), 'node_modules/typescript7/bin/tsc'), '-p', folder, '--checkers', '1', ...options),
    [Symbol.dispose]: () => undefined,
  };
}

function linkPackage(folder: string, name: string, ours: string): void {
  const place = join(folder, 'node_modules', name);
  if (existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(join(process.cwd(), 'node_modules', ours), place);
}

// Plants each known fault in a copy of the sources, builds it, and runs the cases that must find it.
import { cpSync, linkSync, mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { CommandError, formatSeconds, print, root } from '#lib/command-line';
import { Random } from '../../chaos/random.js';
import { allCases } from '../all-cases.js';
import { isMeant } from '../options.js';
import { runCases } from '../run.js';
import { startWorld } from '../world/world.js';
import type { Mutation } from './mutation.js';

/** What a build needs. `dist` saves nothing: it is built as a whole. */
const copied = [
  'apps',
  'libs',
  'test',
  'scripts',
  'security',
  'chaos',
  'prisma',
  'skills',
  'knowledge',
  'docs/migrations',
  'package.json',
  'package-lock.json',
  '.swcrc',
  'tsconfig.json',
];

/** The names of those that no case has found. */
export async function prove(mutations: readonly Mutation[], seed: number): Promise<readonly string[]> {
  mkdirSync(join(root, '.data'), { recursive: true });
  using folder = mkdtempDisposableSync(join(root, '.data', 'prove-'));
  const isOurs = (file: string): boolean => !file.includes('/node_modules');
  for (const path of copied) cpSync(join(root, path), join(folder.path, path), { recursive: true, filter: isOurs });
  linkFiles(join(root, 'node_modules'), join(folder.path, 'node_modules'));
  // Every case that is relied on must hold without a fault, or it proves nothing.
  const without = await faultsIn(folder.path, mutations.map(({ foundBy }) => foundBy).join(), seed);
  if (without.length > 0) throw new CommandError(`these cases fail without a planted fault:\n${without.join('\n')}`);
  const survivors: string[] = [];
  for (const mutation of mutations) {
    const started = performance.now();
    const found = await planted(mutation, folder.path, () => faultsIn(folder.path, mutation.foundBy, seed));
    print(`${found.length > 0 ? '✓' : '✗'} ${mutation.name}: ${found[0] ?? 'NOT found'}  ${formatSeconds(performance.now() - started)}`);
    if (found.length === 0) survivors.push(mutation.name);
  }
  return survivors;
}

/** Packages as hard links: code in a sandbox may read them in the copy alone, so a symbolic link does not do. */
function linkFiles(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkFiles(source, target);
    else if (entry.isFile()) linkSync(source, target);
  }
}

/** Does the work while the fault is there. @throws CommandError if the text of the mutation is not there once */
async function planted<T>({ name, file, text, becomes }: Mutation, folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, file);
  const source = readFileSync(path, 'utf8');
  if (text === '' || source.split(text).length !== 2)
    throw new CommandError(`"${name}" is out of date: ${file} does not hold its text once`);
  writeFileSync(
    path,
    source.replace(text, () => becomes),
  );
  try {
    return await work();
  } finally {
    writeFileSync(path, source);
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
  }
}

/** The cases that fail on this build, each with what was wrong. */
async function faultsIn(folder: string, only: string, seed: number): Promise<readonly string[]> {
  await build(folder);
  const start = () => startWorld({ random: new Random(seed, 'prove'), root: folder });
  // A busy machine may be late once. A system that does not start twice is a fault that was found.
  const started = await start()
    .catch(start)
    .catch((error: unknown) => `the system does not start: ${error instanceof Error ? error.message : String(error)}`);
  if (typeof started === 'string') return [started];
  await using world = started;
  const cases = (await allCases(world)).filter((one) => isMeant(one, only.split(',')));
  const results = await runCases(cases, world);
  if (results.length === 0) throw new CommandError(`there is no case ${only}`);
  return results.flatMap(({ of, fault }) => (fault === null ? [] : [`${of.name}: ${fault}`]));
}

async function build(folder: string): Promise<void> {
  const script = `const { compile } = await import(${JSON.stringify(join(folder, 'scripts/bootstrap/compile.mjs'))}); compile(${JSON.stringify(folder)}, process.execPath, { whole: false });`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const errors: Buffer[] = [];
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new CommandError(`the copy does not build:\n${Buffer.concat(errors).toString('utf8').slice(-2_000)}`);
}

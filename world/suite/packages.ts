// Packages of this folder's own node_modules. Nothing here imports them: each runs in a process of its own.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '#lib/command-line';

const manifest = z.looseObject({
  version: z.string().optional(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
  dependencies: z.record(z.string(), z.string()).optional(),
  devDependencies: z.record(z.string(), z.string()).optional(),
});

export const worldFolder = join(root, 'world/packages');

/**
 * The version that world/packages/package.json asks for, without the name where the package has another one here. Null for none.
 * @param onlyShort looks among the dependencies alone, which `--short` installs; the rest are devDependencies
 */
export function versionOf(name: string, onlyShort = false): string | null {
  const { dependencies, devDependencies } = manifest.parse(JSON.parse(readFileSync(join(worldFolder, 'package.json'), 'utf8')));
  const wanted = dependencies?.[name] ?? (onlyShort ? undefined : devDependencies?.[name]);
  return wanted?.replace(/^npm:/, '').replace(/^.+@/, '') ?? null;
}

/** A file of a package, absolute. */
export function fileOf(name: string, path = ''): string {
  return join(worldFolder, 'node_modules', name, path);
}

/** The program of a package. @param bin which one, where it has several */
export function programOf(name: string, bin?: string): string {
  const found = manifest.parse(JSON.parse(readFileSync(fileOf(name, 'package.json'), 'utf8'))).bin;
  const file = typeof found === 'string' ? found : bin === undefined ? Object.values(found ?? {})[0] : found?.[bin];
  if (file === undefined || !existsSync(fileOf(name, file))) throw new Error(`${name} has no program ${bin ?? ''}`);
  return fileOf(name, file);
}

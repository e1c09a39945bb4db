// Every published version of every tool, as files. Compatibility is judged by them.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { compareVersions, type ContractShape } from '#lib/contracts';
import { root } from '#lib/command-line';

const folder = join(root, 'libs/contracts/snapshots');
const object = z.record(z.string(), z.unknown());
const snapshot = z.strictObject({
  name: z.string(),
  version: z.string(),
  parameters: object,
  output_schema: object,
  errors: z.record(z.string(), z.string()),
});

export function snapshotFile({ name, version }: { readonly name: string; readonly version: string }): string {
  return join(folder, name, `${version}.json`);
}

export function publishedTools(): readonly string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}

/** Oldest first. */
export function publishedVersions(name: string): readonly string[] {
  const own = join(folder, name);
  if (!existsSync(own)) return [];
  return readdirSync(own)
    .map((file) => file.replace(/\.json$/, ''))
    .toSorted(compareVersions);
}

export function readSnapshot(name: string, version: string): ContractShape {
  return snapshot.parse(JSON.parse(readFileSync(snapshotFile({ name, version }), 'utf8')));
}

export function writeSnapshot(shape: ContractShape): void {
  mkdirSync(join(folder, shape.name), { recursive: true });
  writeFileSync(snapshotFile(shape), `${JSON.stringify(shape, null, 2)}\n`);
}

// What all packages have in common: their manifest, their README and the archive that npm installs.
import { execFile } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { CommandError, root } from '#lib/command-line';

const record = z.record(z.string(), z.string());
const product = z
  .object({
    version: z.string(),
    /** npm's word for "all rights reserved", until somebody has chosen one. */
    license: z.string().default('UNLICENSED'),
    repository: z.union([z.string(), record]).optional(),
    dependencies: record,
    optionalDependencies: record,
  })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
/** What the product needs to run, by names. */
export const dependencyNames = Object.keys(product.dependencies);
const packed = z.tuple([z.object({ filename: z.string() })]);

export interface Described {
  readonly name: string;
  readonly description: string;
}

/** An empty folder for a package. @param folder `dist/packages` */
export function newPlace({ name }: Described, folder: string): string {
  const place = join(folder, name.replace('@', '').replace('/', '-'));
  rmSync(place, { recursive: true, force: true });
  mkdirSync(join(place, 'dist'), { recursive: true });
  return place;
}

interface Contents {
  readonly place: string;
  /** Its source. */
  readonly readme: string;
  /** What the manifest says besides what all manifests say. */
  readonly manifest: object;
  /** Packages of others whose code is in it. */
  readonly bundled: readonly string[];
}

/** Gives the file of the archive. */
export async function pack({ name, description }: Described, { place, readme, manifest, bundled }: Contents): Promise<string> {
  copyFileSync(join(root, readme), join(place, 'README.md'));
  if (bundled.length > 0) writeFileSync(join(place, 'THIRD-PARTY-LICENSES.md'), licencesOf(bundled));
  const common = {
    name,
    version: product.version,
    description,
    license: product.license,
    ...(product.repository !== undefined && { repository: product.repository }),
    // npm shows from which commit and by which run a package was published.
    publishConfig: { access: 'public', provenance: true },
    type: 'module',
    engines: { node: '>=20' },
  };
  writeFileSync(join(place, 'package.json'), `${JSON.stringify({ ...common, ...manifest }, null, 2)}\n`);
  const folder = join(place, '..');
  const npm = ['pack', place, '--pack-destination', folder, '--json', '--ignore-scripts'];
  const { stdout } = await promisify(execFile)('npm', npm, { cwd: folder, shell: process.platform === 'win32', maxBuffer: 64_000_000 });
  return join(folder, packed.parse(JSON.parse(stdout))[0].filename);
}

/** The product's versions of these packages. Throws CommandError for one that it does not have. */
export function versionsOf(names: readonly string[]): Readonly<Record<string, string>> {
  const versions = { ...product.dependencies, ...product.optionalDependencies };
  const unknown = names.find((name) => versions[name] === undefined);
  if (unknown !== undefined) throw new CommandError(`a package depends on ${unknown}, which package.json does not name`);
  return Object.fromEntries(names.map((name) => [name, versions[name] ?? '']));
}

/** Whether the product itself has a package, without which it does not run. */
export function isNeeded(name: string): boolean {
  return Object.hasOwn(product.dependencies, name);
}

/** The names of the packages from which these files come. */
export function packagesOf(files: readonly string[]): readonly string[] {
  const names = files.flatMap((file) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []);
  return [...new Set(names)].sort();
}

/** What the licences of others ask of those who pass their code on. */
function licencesOf(names: readonly string[]): string {
  const texts = names.map((name) => `## ${name}\n\n${licenceOf(name)}\n`);
  return `# Code of others in this package\n\n${texts.join('\n')}`;
}

/** The text of a package's licence; some packages only name it. */
function licenceOf(name: string): string {
  const [file] = globSync(`node_modules/${name}/{LICENSE,LICENCE,License,license}*`, { cwd: root }).filter((one) => !one.endsWith('.js'));
  if (file !== undefined) return readFileSync(join(root, file), 'utf8').trim();
  const { license } = z
    .object({ license: z.string().optional() })
    .parse(JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')));
  return license === undefined ? 'Its package names no licence.' : `Licence: ${license}`;
}

// The bill of materials in CycloneDX: the packages of package-lock.json that a deployment runs, with their hashes, licences and needs.
import { ComponentScope, ComponentType, HashAlgorithm } from '@cyclonedx/cyclonedx-library/Enums';
import { Factories } from '@cyclonedx/cyclonedx-library/Contrib/License';
import { Bom, Component, HashDictionary, LicenseRepository, Metadata } from '@cyclonedx/cyclonedx-library/Models';
import { JSON as Json, JsonSerializer } from '@cyclonedx/cyclonedx-library/Serialize';
import { Spec1dot6 } from '@cyclonedx/cyclonedx-library/Spec';
import { isSupportedSpdxId } from '@cyclonedx/cyclonedx-library/SPDX';
import { PackageURL } from 'packageurl-js';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});
const lockedPackage = z.object({
  /** Where it differs from the path: a package under another name. */
  name: z.string().optional(),
  version: z.string(),
  integrity: z.string().optional(),
  license: z.string().optional(),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  dependencies: names,
  optionalDependencies: names,
  peerDependencies: names,
});
const lockFile = z.object({ packages: z.record(z.string(), lockedPackage) });
type LockedPackage = z.infer<typeof lockedPackage>;

/** The bill of materials as JSON. The same lock gives the same bytes: it has neither a time nor a serial number. */
export function billOfMaterials(lock: unknown): string {
  const { packages } = lockFile.parse(lock);
  const components = new Map(
    Object.entries(packages)
      .filter(([, { dev }]) => !dev)
      .map(([path, entry]) => [path, component(path, entry)]),
  );
  for (const [path, { dependencies }] of components) {
    for (const name of needs(packages[path])) {
      const place = locate(packages, path, name);
      const found = place === undefined ? undefined : components.get(place);
      if (found) dependencies.add(found.bomRef);
    }
  }
  const bom = new Bom({ metadata: new Metadata({ component: components.get('') }) });
  for (const [path, found] of components) if (path !== '') bom.components.add(found);
  return new JsonSerializer(new Json.Normalize.Factory(Spec1dot6)).serialize(bom, { sortLists: true, space: 1 });
}

function component(path: string, { name = nameAt(path), version, integrity, license, optional }: LockedPackage): Component {
  const [, group, base = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  return new Component(path === '' ? ComponentType.Application : ComponentType.Library, base, {
    bomRef: path === '' ? name : path,
    ...(group !== undefined && { group }),
    version,
    scope: optional ? ComponentScope.Optional : ComponentScope.Required,
    purl: new PackageURL('npm', group, base, version, undefined, undefined).toString(),
    hashes: new HashDictionary(hashes(integrity)),
    licenses: new LicenseRepository(license === undefined ? [] : [new Factories.LicenseFactory(checkExpression).makeFromString(license)]),
  });
}

const algorithms: Readonly<Record<string, HashAlgorithm>> = { sha1: HashAlgorithm['SHA-1'], sha512: HashAlgorithm['SHA-512'] };

/** The hashes of an `integrity`: names of algorithms with base64, separated by spaces. */
function hashes(integrity = ''): [HashAlgorithm, string][] {
  return integrity.split(' ').flatMap((hash) => {
    const [, name = '', base64 = ''] = /^(\w+)-(.+)$/.exec(hash) ?? [];
    const algorithm = algorithms[name];
    return algorithm === undefined ? [] : [[algorithm, Buffer.from(base64, 'base64').toString('hex')]];
  });
}

/** Licences of SPDX, joined; anything else is named as it is written. */
function checkExpression(text: string): void {
  const ids = text.replaceAll(/[()]/g, '').split(/ AND | OR /);
  if (!ids.every((id) => isSupportedSpdxId(id))) throw new RangeError(`${text} is not an expression of SPDX licences`);
}

function nameAt(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
}

function needs(entry: LockedPackage | undefined): string[] {
  return entry ? Object.keys({ ...entry.dependencies, ...entry.optionalDependencies, ...entry.peerDependencies }) : [];
}

/** The path of what `name` means to the package at `path`, looked up as Node does: from the inside out. */
function locate(packages: Readonly<Record<string, LockedPackage>>, path: string, name: string): string | undefined {
  for (let base = path; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    const place = `${base === '' ? '' : `${base}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (base === '') return undefined;
  }
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Version } from '@cyclonedx/cyclonedx-library/Spec';
import { JsonStrictValidator } from '@cyclonedx/cyclonedx-library/Validation';
import { z } from 'zod';
import { root } from '#lib/command-line';
import { billOfMaterials } from './bill-of-materials.js';

const bomShape = z.object({
  components: z.array(
    z.object({
      'bom-ref': z.string(),
      purl: z.string(),
      scope: z.string(),
      hashes: z.array(z.object({ alg: z.string(), content: z.string() })).default([]),
      licenses: z.array(z.unknown()).default([]),
    }),
  ),
  dependencies: z.array(z.object({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});
const bomOf = (lock: unknown) => bomShape.parse(JSON.parse(billOfMaterials(lock)));

const lock: unknown = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
const { packages } = z
  .object({
    packages: z.record(z.string(), z.object({ version: z.string(), integrity: z.string().optional(), dev: z.boolean().optional() })),
  })
  .parse(lock);
const deployed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);

test('it is valid CycloneDX 1.6', async () => {
  expect(await new JsonStrictValidator(Version.v1dot6).validate(billOfMaterials(lock))).toBeNull();
});

test('it has every package that a deployment runs, with the hash of the lock, and none that only development needs', () => {
  const { components } = bomOf(lock);
  expect(deployed.length).toBeGreaterThan(500);
  expect(components.map((component) => component['bom-ref']).toSorted()).toEqual(deployed.map(([path]) => path).toSorted());
  for (const { 'bom-ref': path, purl, hashes } of components) {
    expect(purl).toMatch(/^pkg:npm\/(%40[^/]+\/)?[^/@]+@\d/);
    expect(hashes.map(({ content }) => `sha512-${Buffer.from(content, 'hex').toString('base64')}`)).toEqual([packages[path]?.integrity]);
  }
});

test('every package is there because another one needs it', () => {
  const needs = new Map(bomOf(lock).dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set(['invoq']);
  for (const ref of reached) for (const needed of needs.get(ref) ?? []) reached.add(needed);
  expect(deployed.map(([path]) => path).filter((path) => !reached.has(path))).toEqual([]);
});

test('the same lock gives the same bytes', () => {
  expect(billOfMaterials(lock)).toBe(billOfMaterials(structuredClone(lock)));
});

test.each([
  ['MIT', { license: { id: 'MIT' } }],
  ['(MIT OR CC0-1.0)', { expression: '(MIT OR CC0-1.0)' }],
  ['See LICENSE', { license: { name: 'See LICENSE' } }],
])('the licence %j is written as %j', (license, written) => {
  const [found] = bomOf({ packages: { '': { name: 'x', version: '1.0.0' }, 'node_modules/a': { version: '1.0.0', license } } }).components;
  expect(found?.licenses).toEqual([written]);
});

test('a package is named by what it is, not by the folder that it is in, and needs what Node would find from there', () => {
  const made = bomOf({
    packages: {
      '': { name: 'x', version: '1.0.0', dependencies: { short: 'npm:@scope/long@2.0.0', b: '1.0.0' } },
      'node_modules/short': {
        name: '@scope/long',
        version: '2.0.0',
        dependencies: { b: '3.0.0' },
        optionalDependencies: { absent: '1.0.0' },
      },
      'node_modules/short/node_modules/b': { version: '3.0.0', optional: true },
      'node_modules/b': { version: '1.0.0' },
      'node_modules/tool': { version: '1.0.0', dev: true },
    },
  });
  expect(made.components).toMatchObject([
    { 'bom-ref': 'node_modules/b', purl: 'pkg:npm/b@1.0.0', scope: 'required' },
    { 'bom-ref': 'node_modules/short', purl: 'pkg:npm/%40scope/long@2.0.0', scope: 'required' },
    { 'bom-ref': 'node_modules/short/node_modules/b', purl: 'pkg:npm/b@3.0.0', scope: 'optional' },
  ]);
  expect(made.dependencies).toEqual([
    { ref: 'node_modules/b', dependsOn: [] },
    { ref: 'node_modules/short', dependsOn: ['node_modules/short/node_modules/b'] },
    { ref: 'node_modules/short/node_modules/b', dependsOn: [] },
    { ref: 'x', dependsOn: ['node_modules/b', 'node_modules/short'] },
  ]);
});

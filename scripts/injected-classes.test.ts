// How Nest is used, as CONTRIBUTING.md has it.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const sources = globSync(['apps/gateway/src/**/*.ts', 'libs/worker/src/**/*.ts'])
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, text: readFileSync(file, 'utf8') }));
const injected = sources.filter(({ text }) => /^@(Injectable|Controller)\(/m.test(text));
const modules = sources.filter(({ file }) => file.endsWith('.module.ts'));

/** From the decorator to the end of the constructor. */
const constructorShape = /^@(?:Injectable|Controller)\([\s\S]*?^ {2}constructor\([\s\S]*?(?:^ {2}\}$|\) \{\}$)/gm;
const providerShape = /([^\n]*)\n\s*\{\s*provide: (\w+),\s*(?:inject: \[[^\]]*\],\s*)?useFactory/g;

test('what is injected stands once, as a parameter property', () => {
  const ofParts = injected.filter(({ text }) => /^(export )?(interface|type) \w*Parts\b/m.test(text));
  const assigned = injected.filter(({ text }) => text.match(constructorShape)?.some((made) => /^ {4}this\.#(\w+) = \1;$/m.test(made)));
  expect(injected.length).toBeGreaterThan(100);
  expect([...ofParts, ...assigned].map(({ file }) => file)).toEqual([]);
});

test('a factory says why its class is not provided by itself', () => {
  const factories = modules.flatMap(({ file, text }) =>
    [...text.matchAll(providerShape)].map(([, before = '', provided]) => ({ name: `${file}: ${provided}`, before })),
  );
  expect(factories.length).toBeGreaterThan(10);
  expect(factories.filter(({ before }) => !before.trim().startsWith('//')).map(({ name }) => name)).toEqual([]);
});

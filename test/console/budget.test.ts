// How much a browser has to load, measured on the built files.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

const folder = 'dist/console/assets';
const kilobyte = 1_000;
const files = readdirSync(folder);
const sizeOf = (name: string) => gzipSync(readFileSync(join(folder, name))).length / kilobyte;
const scripts = files.filter((name) => name.endsWith('.js'));

/** A script with everything that it imports before it runs. */
function withImports(name: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(name)) return found;
  found.add(name);
  const text = readFileSync(join(folder, name), 'utf8');
  for (const [, imported = ''] of text.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) withImports(imported, found);
  return found;
}

test('the first route needs at most 190 kB of script', () => {
  const entry = /assets\/(index-[^"]+\.js)/.exec(readFileSync('dist/console/index.html', 'utf8'))?.[1] ?? '';
  const home = scripts.find((name) => name.startsWith('home-')) ?? '';
  const chart = scripts.find((name) => name.startsWith('time-chart-')) ?? '';
  const needed = new Set([entry, home, chart].flatMap((name) => [...withImports(name)]));
  expect(needed.size).toBeGreaterThan(3);
  const total = [...needed].reduce((sum, name) => sum + sizeOf(name), 0);
  expect(total).toBeLessThanOrEqual(190);
  expect(total).toBeGreaterThan(50);
});

test('a page draws its skeleton before its style sheet is there', () => {
  const page = readFileSync('dist/console/index.html', 'utf8');
  expect(page).toMatch(/<style nonce="__CSP_NONCE__">[^<]*\.skeleton/);
  expect(page.indexOf('rel="stylesheet"')).toBeGreaterThan(page.lastIndexOf('class="skeleton"'));
});

test('no other piece of script is larger than 120 kB', () => {
  expect(scripts.filter((name) => sizeOf(name) > 120)).toEqual([]);
});

test('all styles together are at most 20 kB', () => {
  const styles = files.filter((name) => name.endsWith('.css'));
  expect(styles.length).toBeGreaterThan(0);
  expect(styles.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThanOrEqual(20);
});

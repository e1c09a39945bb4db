import { cpus } from 'node:os';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#lib/command-line';
import type { ShownByTest } from './faults/index.js';
import { markdownTable } from './report.js';
import type { Outcome } from './rounds.js';

interface RunFacts {
  readonly seed: number;
  readonly elapsedMs: number;
  readonly shownByTests: readonly ShownByTest[];
}

const page = 'docs/reliability.md';
const begin = '<!-- results: written by npm run chaos -- --all --write -->';
const end = '<!-- end of results -->';

/** Writes the results into the page, between its two marks. Gives the page's path. */
export function writeResults(outcome: Outcome, facts: RunFacts): string {
  const file = join(root, page);
  writeFileSync(file, withResults(readFileSync(file, 'utf8'), resultsOf(outcome, facts)));
  return file;
}

/** Throws when the page has lost its marks. */
export function withResults(text: string, results: readonly string[]): string {
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${page} needs the lines "${begin}" and "${end}" around its results`);
  return `${text.slice(0, from)}${[begin, '', ...results, ''].join('\n')}\n${text.slice(to)}`;
}

export function resultsOf(outcome: Outcome, { seed, elapsedMs, shownByTests }: RunFacts): readonly string[] {
  const { skipped, verdict } = outcome;
  const minutes = Math.round(elapsedMs / 60_000);
  const found = verdict.violations.length === 0 ? 'No invariant was violated.' : `**Violations: ${verdict.violations.length}.**`;
  return [
    `\`npm run chaos -- --all --seed ${seed}\` on ${new Date().toISOString().slice(0, 10)}: ${minutes} minutes on ${cpus().length} cores. ${found}`,
    '',
    ...markdownTable(outcome),
    ...(skipped.length > 0 ? ['', 'Not tried on that machine:', ''] : []),
    ...skipped.map(({ id, title, why }) => `- ${id} ${title}: ${why}.`),
    '',
    'Shown by tests that `npm test` runs:',
    '',
    '| fault | test |',
    '| --- | --- |',
    ...shownByTests.map(
      ({ id, title, tests }) => `| ${id} ${title} | ${tests.map((test) => `[${test.split('/').at(-1)}](../${test})`).join(', ')} |`,
    ),
  ];
}

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print, root } from '#lib/command-line';
import { allRows } from './all-rows.js';
import { versionOf } from './packages.js';
import { triedElsewhere } from './reports/elsewhere.js';
import { groups, type Group, type Row } from './row.js';

const begin = '<!-- written by npm run world -- --table -->';
const end = '<!-- end of what is written -->';

const page = join(root, 'docs', 'compatibility.md');

export function writeTable(): number {
  writeFileSync(page, withTable(readFileSync(page, 'utf8')));
  print('docs/compatibility.md is up to date');
  return 0;
}

/** The document with the present rows between its two marks. */
export function withTable(document: string): string {
  const [before = '', rest = ''] = document.split(begin);
  const [, after = ''] = rest.split(end);
  const tables = (Object.keys(groups) as Group[]).flatMap(tableOf);
  return `${before}${begin}\n${[...tables, ...elsewhere()].join('\n')}\n\n${end}${after}`;
}

function tableOf(group: Group): readonly string[] {
  const rows = allRows.filter((row) => row.group === group);
  return ['', `## ${groups[group]}`, '', '| what | from | what holds | short |', '| --- | --- | --- | --- |', ...rows.map(line)];
}

function elsewhere(): readonly string[] {
  const head = ['', '## Reports that tests of their own try', '', '| what | from | test |', '| --- | --- | --- |'];
  return [...head, ...triedElsewhere.map(([report, what, test]) => `| ${what} | ${report} | \`${test}\` |`)];
}

function line({ name, source, holds, short }: Row): string {
  const version = versionOf(source);
  const cells = [name, version === null ? source : `\`${source}\` ${version}`, holds, short ? 'yes' : ''];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

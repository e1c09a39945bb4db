import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print, root } from '#lib/command-line';
import { fixedCases } from './cases/index.js';
import { groups, type Group } from './case.js';
import { mutations } from './prove/mutations.js';
import { routeAttacks } from './routes/attacks.js';
import { publicRoutes, routeUses } from './routes/route-uses.js';

const begin = '<!-- written by npm run security -- --table -->';
const end = '<!-- end of what is written -->';

const page = join(root, 'docs', 'security.md');

export function writeTable(): number {
  writeFileSync(page, withTable(readFileSync(page, 'utf8')));
  print('docs/security.md is up to date');
  return 0;
}

/** The document with the present cases between its two marks. */
export function withTable(document: string): string {
  const [before = '', rest = ''] = document.split(begin);
  const [, after = ''] = rest.split(end);
  return `${before}${begin}\n\n${tables().join('\n')}\n\n${end}${after}`;
}

function tables(): readonly string[] {
  const ofRoutes = routeAttacks.map(({ group, name, threats }) => [group, name.replace('{route} ', ''), threats.join(', ')]);
  return [
    '## On every route',
    '',
    `Each is tried on the ${Object.keys(routeUses).length} routes of the route table, where it applies.`,
    '',
    ...table(['group', 'what is tried', 'threats'], ofRoutes),
    '',
    'These routes need no credential:',
    '',
    ...table(
      ['route', 'why'],
      Object.entries(publicRoutes).map(([route, why]) => [`\`${route}\``, why]),
    ),
    '',
    '## Cases',
    ...(Object.keys(groups) as Group[]).flatMap(casesOf),
    '',
    '## Planted faults',
    '',
    'Each is put into a copy of the sources by `npm run security -- --prove`. A case of the right column must fail then.',
    '',
    ...table(
      ['planted fault', 'file', 'found by'],
      mutations.map(({ name, file, foundBy }) => [name, `\`${file}\``, foundBy.split(',').join('; ')]),
    ),
  ];
}

function casesOf(group: Group): readonly string[] {
  const cases = fixedCases.filter((one) => one.group === group);
  if (cases.length === 0) return [];
  return [
    '',
    `### ${group}: ${groups[group]}`,
    '',
    ...table(
      ['what holds', 'threats'],
      cases.map(({ name, threats }) => [name, threats.join(', ')]),
    ),
  ];
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${' --- |'.repeat(head.length)}`, ...rows.map(line)];
}

import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { allRows } from './all-rows.js';
import { versionOf } from './packages.js';
import { triedElsewhere } from './reports/elsewhere.js';
import { groups } from './row.js';
import { withTable } from './table.js';

test('docs/compatibility.md has the present rows; npm run world -- --table writes them', () => {
  const document = readFileSync('docs/compatibility.md', 'utf8');
  expect(document).toBe(withTable(document));
});

test('each row has a name of its own, and every group has rows, short ones too', () => {
  const names = allRows.map(({ group, name }) => `${group} ${name}`);
  expect(new Set(names).size).toBe(names.length);
  for (const rows of [allRows, allRows.filter(({ short }) => short)])
    expect(new Set(rows.map(({ group }) => group))).toEqual(new Set(Object.keys(groups)));
});

test('at least twenty servers and ten clients are tried, each from a package that is installed for it, or a report', () => {
  const sources = (group: string) => new Set(allRows.filter((row) => row.group === group).map(({ source }) => source));
  expect(sources('servers').size).toBeGreaterThanOrEqual(20);
  expect(sources('clients').size).toBeGreaterThanOrEqual(10);
  for (const { name, source, short } of allRows)
    expect([name, versionOf(source, short) ?? /^[\w.-]+\/[\w.-]+#\d+$|^own$/.exec(source)]).not.toContain(null);
});

test('tests that try a report elsewhere exist', () => {
  expect(triedElsewhere.filter(([, , file]) => !existsSync(file))).toEqual([]);
});

test('a name stands for one command', () => {
  const commands = allRows.flatMap((row) => Object.entries(row.commands ?? {}));
  for (const [name, list] of Map.groupBy(commands, ([one]) => one))
    expect([name, new Set(list.map(([, command]) => command)).size]).toEqual([name, 1]);
});

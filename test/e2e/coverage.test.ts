import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { domains } from '#lib/contracts';
import { builtAreas, requirements } from './requirements.js';

const folder = import.meta.dirname;
const areas = new Set<string>([...Object.keys(domains), ...builtAreas]);

/** Every id that a `verifies([…]` in the sources names, with the files that do. */
function citations(): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.test.ts') && name !== 'coverage.test.ts',
  );
  const cited = new Map<string, string[]>();
  for (const file of files) {
    for (const [, list = ''] of readFileSync(join(folder, file), 'utf8').matchAll(/\bverifies\(\s*\[([^\]]*)\]/g)) {
      for (const [id] of list.matchAll(/[A-Z]{2}-\d+/g)) cited.set(id, [...(cited.get(id) ?? []), file]);
    }
  }
  return cited;
}

describe('requirements', () => {
  const cited = citations();
  const known = new Set<string>(requirements.map(({ id }) => id));

  test('are numbered from 1 without a gap, and each is there once', () => {
    const ids = requirements.map(({ id }) => id);
    const groups = [...Map.groupBy(ids, (id) => id.slice(0, 2))];
    const wanted = groups.flatMap(([prefix, { length }]) =>
      Array.from({ length }, (_, index) => `${prefix}-${String(index + 1).padStart(2, '0')}`),
    );
    expect(ids.toSorted()).toEqual(wanted.toSorted());
  });

  test('that tests cite all exist', () => {
    expect([...cited.keys()].filter((id) => !known.has(id))).toEqual([]);
  });

  test.each([...areas])('of %s are each cited by a test', (area) => {
    const uncited = requirements.filter((one) => one.area === area && one.strength !== 'I' && !cited.has(one.id));
    expect(uncited.map(({ id, summary }) => `${id} ${summary}`)).toEqual([]);
  });

  test('of every built area are known', () => {
    expect([...areas].filter((area) => !requirements.some((one) => one.area === area))).toEqual([]);
  });
});

// The contracts of this build against every version that was published before.
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from '@jest/globals';
import { z } from 'zod';
import { getWeather, getWeatherV2, shapeOf, tools, type ToolContract } from '#lib/contracts';
import { compareWithPublished } from './compare-with-published.js';
import { publishedVersions, snapshotFile, writeSnapshot } from './snapshots.js';

const all: readonly ToolContract[] = tools;

test.each(all.map((contract): [string, ToolContract] => [`${contract.name} ${contract.version}`, contract]))(
  '%s may be published',
  (_title, contract) => {
    expect(compareWithPublished(contract, all)).toEqual([]);
  },
);

const withUnit = getWeather.input;
const changed = (rest: Partial<ToolContract>): ToolContract => ({ ...getWeather, ...rest });

test('what changed under its old version is refused', () => {
  const input = withUnit.extend({ days: z.int().default(1) });
  expect(compareWithPublished(changed({ input }), all)).toEqual([
    expect.stringMatching(/parameters\.days was added.*give it a new version/),
  ]);
});

test('a version without a snapshot is refused', () => {
  expect(compareWithPublished(changed({ version: '1.9.0' }), all)).toEqual([expect.stringMatching(/get_weather 1\.9\.0 has no snapshot/)]);
});

test('a breaking version needs its guide, and the one before it served', () => {
  using published = publish({ ...getWeatherV2, name: 'scratch_weather', version: '1.0.0', input: getWeather.input });
  const next = (rest: Partial<ToolContract>): ToolContract => ({ ...getWeatherV2, name: 'scratch_weather', ...rest });
  const first = next({ version: '1.0.0', input: getWeather.input });
  published.also(next({ version: '1.1.0' }));
  expect(compareWithPublished(next({ version: '1.1.0' }), [first])).toEqual([
    expect.stringMatching(/location was removed.*it needs a new major version/),
  ]);
  published.withdraw('1.1.0');
  published.also(next({ version: '2.0.0' }));
  expect(compareWithPublished(next({ version: '2.0.0' }), [first])).toEqual([]);
  expect(compareWithPublished(next({ version: '2.0.0', migrationGuide: '/docs/migrations/none' }), [first])).toEqual([
    expect.stringMatching(/needs a migrationGuide/),
  ]);
  expect(compareWithPublished(next({ version: '2.0.0' }), [])).toEqual([expect.stringMatching(/no version 1\.x is served any more/)]);
});

test('the documented history is there', () => {
  expect(publishedVersions('get_weather')).toEqual(['1.0.0', '2.0.0', '2.1.0']);
});

/** Snapshots of a tool that is gone with the test. */
function publish(contract: ToolContract) {
  const also = (one: ToolContract): void => writeSnapshot(shapeOf(one));
  also(contract);
  return {
    also,
    withdraw: (version: string): void => rmSync(snapshotFile({ name: contract.name, version })),
    [Symbol.dispose]: (): void => rmSync(dirname(snapshotFile(contract)), { recursive: true, force: true }),
  };
}

// The order in which test files run. Node runs this file without a build: only erasable type syntax.
import { statSync } from 'node:fs';
import { relative } from 'node:path';

interface TestFile {
  readonly path: string;
}

/** Tests of whole systems: they wait half of the time, and find in the database what tests with stores leave there for all tenants. So they come first. */
const systems = /^test[/\\]/;
/** Tests with stores wait too. They are through at this share of those that remain, so that no long file is left running alone at the end. */
const stores = { files: /\.(integration|long)\.test\.ts$/, within: 0.7 };

/** A clean clone knows no durations yet. */
export default class SlowKindsFirst {
  /** Large files of each kind first. Those that wait and those that compute are beside each other: so they use the processors evenly. */
  sort<Test extends TestFile>(tests: readonly Test[]): Test[] {
    const large = tests.map((test) => ({ test, size: statSync(test.path).size })).toSorted((a, b) => b.size - a.size);
    const [whole, others] = partition(large, ({ test }) => isOf(systems, test));
    const [withStores, units] = partition(others, ({ test }) => isOf(stores.files, test));
    const placed = [
      ...withStores.map(({ test }, index) => ({ test, at: (stores.within * index) / withStores.length })),
      ...units.map(({ test }, index) => ({ test, at: index / units.length })),
    ];
    return [...whole, ...placed.toSorted((a, b) => a.at - b.at)].map(({ test }) => test);
  }

  /** `--shard`: every `shardCount`th file of the order. */
  shard<Test extends TestFile>(
    tests: readonly Test[],
    { shardIndex, shardCount }: { readonly shardIndex: number; readonly shardCount: number },
  ): Test[] {
    return this.sort(tests).filter((_, index) => index % shardCount === shardIndex - 1);
  }

  /** `--onlyFailures` keeps no record here: all files run. */
  allFailedTests<Test extends TestFile>(tests: readonly Test[]): Test[] {
    return [...tests];
  }

  cacheResults(): void {
    // The order does not depend on former runs.
  }
}

function isOf(files: RegExp, { path }: TestFile): boolean {
  return files.test(relative(process.cwd(), path));
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): readonly [readonly Item[], readonly Item[]] {
  return [items.filter((item) => isFirst(item)), items.filter((item) => !isFirst(item))];
}

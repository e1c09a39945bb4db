// The order in which test files run. Node runs this file without a build: only erasable type syntax.
import { statSync } from 'node:fs';
import { relative } from 'node:path';

interface TestFile {
  readonly path: string;
}

/**
 * The kinds of tests, and where they stand: all of a kind from one share of the order to another. Tests of whole systems find in the database what
 * tests with stores leave there for all tenants, so they come first. Tests with stores wait and others compute: beside each other they use the processors
 * evenly. Those that wait are through before the end, so that no long file is left running alone. A clean clone knows no durations yet.
 */
const kinds = [
  { files: /^test[/\\]/, from: -1, to: 0 },
  // Small files that last half a minute.
  {
    files: /\b(build-product|subscriptions|connections|ended-credentials|renewing|batch-replays)\.integration\.test\.ts$/,
    from: 0,
    to: 0.1,
  },
  { files: /\.(integration|long)\.test\.ts$/, from: 0, to: 0.7 },
  { files: /./, from: 0, to: 1 },
];

export default class SlowKindsFirst {
  /** Large files of each kind first. */
  sort<Test extends TestFile>(tests: readonly Test[]): Test[] {
    const large = tests.map((test) => ({ test, size: statSync(test.path).size })).toSorted((a, b) => b.size - a.size);
    return kinds
      .flatMap((kind) => {
        const ofKind = large.filter(({ test }) => kindOf(test) === kind);
        return ofKind.map(({ test }, index) => ({ test, at: kind.from + ((kind.to - kind.from) * index) / ofKind.length }));
      })
      .toSorted((a, b) => a.at - b.at)
      .map(({ test }) => test);
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

function kindOf({ path }: TestFile): (typeof kinds)[number] | undefined {
  return kinds.find(({ files }) => files.test(relative(process.cwd(), path)));
}

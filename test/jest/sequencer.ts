// The order in which test files run. Node runs this file without a build: only erasable type syntax.
import { statSync } from 'node:fs';
import { relative } from 'node:path';

interface TestFile {
  readonly path: string;
}

/**
 * The kinds of tests, and in which share of the order they stand. Tests of whole systems wait half of the time, those beside their source compute: beside
 * each other they use the processors evenly. The slow kinds are through before the end, so that no long file is left running alone. A clean clone
 * knows no durations yet.
 */
const kinds = [
  { files: /^test[/\\]/, within: 0.5 },
  { files: /\.(integration|long)\.test\.ts$/, within: 0.65 },
  { files: /./, within: 1 },
];

export default class KindsBesideEachOther {
  /** Large files of each kind first. */
  sort<Test extends TestFile>(tests: readonly Test[]): Test[] {
    return kinds
      .flatMap(({ within }, kind) => {
        const ofKind = tests.filter((test) => kindOf(test) === kind).map((test) => ({ test, size: statSync(test.path).size }));
        const large = ofKind.toSorted((a, b) => b.size - a.size);
        return large.map(({ test }, index) => ({ test, at: (within * index) / large.length }));
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

function kindOf({ path }: TestFile): number {
  return kinds.findIndex(({ files }) => files.test(relative(process.cwd(), path)));
}

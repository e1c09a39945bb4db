// The order in which test files run. Node runs this file without a build: only erasable type syntax.
import { statSync } from 'node:fs';
import { relative } from 'node:path';

interface TestFile {
  readonly path: string;
}

/**
 * Slow kinds of tests first: those of whole systems, then those with stores. So no long file is left running alone at the end. A clean clone
 * knows no durations yet.
 */
const kinds = [/^test[/\\]/, /\.(integration|long)\.test\.ts$/, /./];

export default class SlowKindsFirst {
  sort<Test extends TestFile>(tests: readonly Test[]): Test[] {
    const ranked = tests.map((test) => ({ test, kind: kindOf(test), size: statSync(test.path).size }));
    return ranked.toSorted((a, b) => a.kind - b.kind || b.size - a.size).map(({ test }) => test);
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
  return kinds.findIndex((kind) => kind.test(relative(process.cwd(), path)));
}

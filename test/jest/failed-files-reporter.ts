// Writes which test files have failed, for `npm test`. Node runs this file without a build: only erasable type syntax.
import { writeFileSync } from 'node:fs';
import { relative } from 'node:path';

interface Results {
  readonly testResults: readonly {
    readonly testFilePath: string;
    readonly numFailingTests: number;
    readonly testExecError?: unknown;
    readonly perfStats: { readonly runtime: number };
  }[];
}

/** Writes a JSON list of files, with the seconds that each took, into the file that FAILED_FILES names. A file fails with one of its tests, or as a whole. */
export default class FailedFilesReporter {
  onRunComplete(_tests: unknown, { testResults }: Results): void {
    const list = process.env['FAILED_FILES'];
    if (!list) return;
    const failed = testResults.filter(({ numFailingTests, testExecError }) => numFailingTests > 0 || testExecError);
    writeFileSync(
      list,
      JSON.stringify(
        failed.map(({ testFilePath, perfStats }) => ({ file: relative(process.cwd(), testFilePath), seconds: perfStats.runtime / 1_000 })),
      ),
    );
  }
}

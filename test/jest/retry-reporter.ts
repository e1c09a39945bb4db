// Prints after a run which tests needed more than one try. Node runs this file without a build: only erasable type syntax.
import { relative } from 'node:path';

interface FileResult {
  readonly testFilePath: string;
  readonly testResults: readonly { readonly fullName: string; readonly invocations?: number }[];
}

interface RetriedTest {
  readonly file: string;
  readonly name: string;
  readonly tries: number;
}

/** Prints the retried tests. Fails the run when one of them is not in a file of tests that measure time. */
export default class RetryReporter {
  readonly #retried: RetriedTest[] = [];

  onTestResult(_test: unknown, { testFilePath, testResults }: FileResult): void {
    for (const { fullName, invocations = 1 } of testResults)
      if (invocations > 1) this.#retried.push({ file: relative(process.cwd(), testFilePath), name: fullName, tries: invocations });
  }

  onRunComplete(): void {
    const lines = this.#retried.map(({ file, name, tries }) => `  ${file}: ${name} (${tries} tries)`);
    process.stderr.write(`${[`Retried tests: ${lines.length}`, ...lines].join('\n')}\n`);
    const error = this.getLastError();
    if (error) process.stderr.write(`${error.message}\n`);
  }

  /** Jest fails the run when a reporter has an error. */
  getLastError(): Error | undefined {
    const wrong = this.#retried.filter(({ file }) => !file.endsWith('.timing.test.ts'));
    if (wrong.length > 0) return new Error(`FAILED: ${wrong.length} of the retried tests are not in a *.timing.test.ts file.`);
    return undefined;
  }
}

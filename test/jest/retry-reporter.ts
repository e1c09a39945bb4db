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

/** So many tests of whole systems may need a second try in one run. More is a fault of the product or of the tests. */
const mostOfSystems = 2;

/** Prints the retried tests. Fails the run when one of them may not be retried, or when too many of whole systems were. */
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
    const untimed = this.#retried.filter(({ file }) => !file.endsWith('.timing.test.ts'));
    const wrong = untimed.filter(({ file }) => !/^test\/(e2e|console|packages)\//.test(file));
    if (wrong.length > 0)
      return new Error(`FAILED: ${wrong.length} of the retried tests are neither in a *.timing.test.ts file nor of a whole system.`);
    if (untimed.length > mostOfSystems)
      return new Error(`FAILED: ${untimed.length} tests of whole systems were retried. At most ${mostOfSystems} may be.`);
    return undefined;
  }
}

// The protocol's own conformance suites, as commands: which scenarios ran, and what each found.
import { execFile } from 'node:child_process';
import { globSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

/** The suite that knows 2026-07-28 is a pre-release; the released one knows the revisions before. */
export const suites = {
  released: 'node_modules/@modelcontextprotocol/conformance/dist/index.js',
  next: 'node_modules/conformance-next/dist/index.js',
} as const;

export interface SuiteRun {
  readonly code: unknown;
  readonly output: string;
  /** By scenario, what it found wrong; empty for one that passed. */
  readonly faults: ReadonlyMap<string, readonly string[]>;
}

const checks = z.array(
  z.looseObject({ id: z.string(), status: z.string(), description: z.string().default(''), errorMessage: z.string().optional() }),
);
/** What the suite adds to the name of a scenario for the folder of its results. */
const endOfFolder = /-\d{4}-\d\d-\d\dT[\d-]+Z$/;

export async function runSuite(suite: string, args: readonly string[]): Promise<SuiteRun> {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-suite-'));
  const run = promisify(execFile)(process.execPath, [suite, ...args, '-o', folder.path], { maxBuffer: 64 * 1024 * 1024, timeout: 280_000 });
  const { code, output } = await run.then(
    ({ stdout, stderr }) => ({ code: 0, output: stdout + stderr }),
    (error: { code?: unknown; stdout?: string; stderr?: string }) => ({
      code: error.code,
      output: `${error.stdout ?? ''}${error.stderr ?? ''}`,
    }),
  );
  const found = globSync('**/checks.json', { cwd: folder.path }).map((file): [string, readonly string[]] => {
    const bad = checks
      .parse(JSON.parse(readFileSync(join(folder.path, file), 'utf8')))
      .filter(({ status }) => /FAILURE|WARNING/.test(status));
    const said = [dirname(file), 'stdout.txt'].join('/');
    const words = bad.map(({ id, description, errorMessage = description }) => `${id}: ${errorMessage}`);
    return [
      dirname(file)
        .replace(endOfFolder, '')
        .replace(/^server-(?=.)/, ''),
      bad.length === 0 ? [] : [...words, told(join(folder.path, said))],
    ];
  });
  return { code, output, faults: new Map(found) };
}

/** What the client under test wrote. */
function told(file: string): string {
  try {
    return readFileSync(file, 'utf8').slice(0, 2_000);
  } catch {
    return '';
  }
}

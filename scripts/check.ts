// `npm run check`: format, lint, types, dependency rules, forgotten steps, language of documents, size of the installation, packages and unused
// code. All checks run, also after one has failed.
import { execFile } from 'node:child_process';
import { formatSeconds, print, root, runWithoutArguments } from '#lib/command-line';
import { packages } from './packages/packages.js';

interface Check {
  readonly name: string;
  readonly script: string;
  readonly args: readonly string[];
  /** What to do when it fails. */
  readonly fix: string;
}

/** Several would each work out the same types: one takes less than half of the processor time. */
const oneChecker = ['--checkers', '1'];

const checks: readonly Check[] = [
  { name: 'format', script: 'node_modules/oxfmt/bin/oxfmt', args: ['--check', '.'], fix: 'npm run format' },
  {
    name: 'lint',
    script: 'node_modules/oxlint/bin/oxlint',
    args: ['--type-aware', '--deny-warnings'],
    fix: 'npm run format repairs some; repair the rest by hand',
  },
  {
    name: 'types',
    script: 'node_modules/typescript7/bin/tsc',
    args: ['-p', 'tsconfig.json', '--noEmit', '--pretty', ...oneChecker],
    fix: 'correct the types named above',
  },
  {
    name: 'types of the console',
    script: 'node_modules/typescript7/bin/tsc',
    args: ['-p', 'apps/console', '--noEmit', '--pretty', ...oneChecker],
    fix: 'correct the types named above',
  },
  {
    name: 'dependency rules',
    script: 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs',
    args: ['apps', 'libs', 'scripts', 'bench', 'chaos', 'fuzz', 'security', 'world/suite', 'test'],
    fix: 'import as docs and .dependency-cruiser.cjs allow',
  },
  {
    name: 'tools and domains',
    script: 'dist/scripts/forgotten/main.js',
    args: [],
    fix: 'do what is named above; CONTRIBUTING.md has every step',
  },
  {
    name: 'language of documents',
    script: 'scripts/check-language.mjs',
    args: ['README.md', 'docs/index.md', 'docs/tutorials', 'docs/how-to', 'docs/reference', 'docs/explanation'],
    fix: 'write what is named above more plainly; scripts/check-language.mjs has the rules',
  },
  {
    name: 'size of the installation',
    script: 'scripts/check-install.mjs',
    args: [],
    fix: 'do with less, or say in scripts/check-install.mjs why it has to be more',
  },
  {
    // Types of a package are rolled into one file, so two declarations of one name keep it from being built.
    name: 'packages of libraries',
    script: 'dist/scripts/packages/main.js',
    args: packages.map(({ name }) => name),
    fix: 'declare each name once among what the entry of the package reaches',
  },
  { name: 'unused code', script: 'node_modules/knip/bin/knip.js', args: [], fix: 'delete what is named above, or export it for a reason' },
];

const help = `Format, lint, types, dependency rules, forgotten steps, language of documents, size of the installation, packages and unused code. All
checks run, also after one has failed.

  npm run check
`;

await runWithoutArguments(help, async () => {
  const results = await Promise.all(checks.map(run));
  const failed = results.filter((passed) => !passed).length;
  print(failed === 0 ? 'All checks passed.' : `${failed} of ${results.length} checks failed.`);
  return failed === 0 ? 0 : 1;
});

async function run({ name, script, args, fix }: Check): Promise<boolean> {
  const started = performance.now();
  const { passed, output } = await runNode([script, ...args]);
  const time = formatSeconds(performance.now() - started);
  print(passed ? `✓ ${name}  ${time}` : `✗ ${name}  ${time}\n${output.trimEnd()}\n  to fix: ${fix}`);
  return passed;
}

function runNode(args: readonly string[]): Promise<{ passed: boolean; output: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) => {
      resolve({ passed: error === null, output: stdout + stderr });
    });
  });
}

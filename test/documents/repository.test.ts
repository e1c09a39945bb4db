import { expect, test } from '@jest/globals';
import { filesInComments, pathExists } from './repository.js';

const paths = ['apps/', 'apps/a-worker/', 'apps/a-worker/src/main.ts', 'libs/contracts/src/derive/job-options.ts', 'scripts/migrate.ts'];

test.each([
  'apps/a-worker/src/main.ts',
  'apps/a-worker/',
  'apps/a-worker',
  'derive/job-options.ts',
  'job-options.ts',
  'apps/<domain>-worker/src/main.ts',
  'apps/*-worker',
  'dist/scripts/migrate.js',
])('%s is found', (path) => {
  expect(pathExists(path, paths)).toBe(true);
});

test.each(['apps/b-worker', 'options.ts', 'apps/<domain>/main.ts', 'dist/scripts/start.js', 'src/migrate.ts', 'derive/jobXoptions.ts'])(
  '%s is not',
  (path) => {
    expect(pathExists(path, paths)).toBe(false);
  },
);

test('files are found in comments of all kinds, and not in code', () => {
  const source = [
    '// See derive/job-options.ts and ../notes.md; `x.md` is an example.',
    '/**',
    ' * Written by main.ts.',
    ' */',
    "import { a } from './a.ts';",
    'const b = 1; // as in build.mjs',
    '# ops/alerts.yml',
    '-- 0001.prisma',
    '// every *.test.ts, and <name>.md',
  ].join('\n');
  expect(filesInComments(source)).toEqual(['derive/job-options.ts', 'notes.md', 'main.ts', 'build.mjs', 'ops/alerts.yml', '0001.prisma']);
});

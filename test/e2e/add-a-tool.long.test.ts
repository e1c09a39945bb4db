// CONTRIBUTING followed literally: three files and `npm run format`, and every door serves the tool; a domain with its worker.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { AppProcess, batchShape, nativeShape, startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { staleToolLists } from '../../scripts/derived/tool-lists.js';
import { writeFiles } from '../../scripts/derived/write-files.js';
import { applySamples } from '../documents/apply-samples.js';
import { readMarkdown, type CodeBlock } from '../documents/markdown.js';
import { ShellSamples } from '../documents/shell-samples.js';
import { expectRefusal, expectSuccess } from './expectations.js';
import { verifies } from './verifies.js';

jest.setTimeout(2 * startTimeoutMs);

const { blocks } = readMarkdown('CONTRIBUTING.md');
const sectionOf = (heading: string): readonly CodeBlock[] => blocks.filter((block) => block.heading === heading);
const [commands, firstCall] = sectionOf('Add a tool').filter(({ language }) => language === 'sh');
const readmeSamples = readMarkdown('README.md').blocks.filter(({ language, notRun }) => language === 'ts' && notRun === null);
const copied = [
  'apps',
  'libs',
  'scripts',
  'package.json',
  'tsconfig.json',
  '.swcrc',
  'jest.config.mjs',
  'test/jest',
  'test/e2e/outside-server.ts',
  'test/documents/compose.test.ts',
  'nest-cli.json',
  'docker-compose.yml',
  'ops',
  'deploy/helm/invoq',
  '.env.example',
];
/** The rows of a worker, where deployments have them. */
const rowsOfClock = [
  ['nest-cli.json', '"root": "apps/clock-worker"'],
  ['docker-compose.yml', '      APP: clock-worker\n'],
  ['docker-compose.yml', '      REDIS_CLOCK_PASSWORD:\n'],
  ['ops/redis-users.sh', '\nworker clock "${REDIS_CLOCK_PASSWORD:?}"\n'],
  ['ops/prometheus.yml', '          - clock-worker\n'],
  ['deploy/helm/invoq/apps.yaml', '  clock:\n    concurrency: 16\n    outward: false\n'],
  ['.env.example', '\n#REDIS_CLOCK_PASSWORD=\n'],
] as const;

/** Throws for one age and computes nonsense for all others. */
const brokenCalculator = `import { calcMetrics } from '#lib/contracts';
import { handle } from '../services.js';

export const handleCalcMetrics = handle(calcMetrics, ({ age }) => {
  if (age === 41) throw new TypeError('planted fault');
  return {
    bmi: NaN, bmi_category: 'normal', bmr: 1, tdee: 1, ideal_weight_range: [1, 2], body_fat_estimate: null, muscle_mass_estimate: null,
    calorie_goal: { maintain: 1, lose_weight: 1, gain_weight: 1 },
  };
});
`;

/** The product with the samples, and of all tests only that of the sample. */
function typeCheckOf(samples: readonly string[]): object {
  // The console has a configuration of its own.
  const exclude = ['apps/console', '**/*.test.ts', '**/test-*.ts'];
  return { extends: './tsconfig.json', include: ['apps', 'libs', 'scripts'], exclude, files: samples };
}

describe('adding a tool', () => {
  let root: string;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'invoq-add-a-tool-'));
    // Those of the console are packages of its own, which its build may have installed.
    const filter = (path: string): boolean => basename(path) !== 'node_modules';
    for (const source of copied) cpSync(source, join(root, source), { recursive: true, filter });
    symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
    const written = applySamples(blocks, root);
    writeFileSync(join(root, 'tsconfig.samples.json'), JSON.stringify(typeCheckOf(written)));
    // Of `npm run format` what these files need. The page leaves the tools of its new domain to its reader: their list is empty.
    expect(commands?.text).toMatch(/^npm run format$/m);
    writeFiles(root, staleToolLists(root));
    for (const [index, { text }] of readmeSamples.entries()) writeFileSync(join(root, `scripts/readme-${index}.ts`), text);
    await build('apps', 'libs');
    system = await startSystem({ root, more: [{ main: 'dist/apps/clock-worker/src/main.js' }] });
    user = await system.caller();
  }, 2 * startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    rmSync(root, { recursive: true, force: true });
  });

  const run = async (script: string, ...args: readonly string[]) => {
    const env = { ...process.env, NODE_OPTIONS: '' };
    return promisify(execFile)(process.execPath, ['--experimental-vm-modules', '--no-warnings', join('node_modules', script), ...args], {
      cwd: root,
      env,
    });
  };
  const build = (...sources: readonly string[]) =>
    run('@swc/cli/bin/swc.js', ...sources, '-d', 'dist', '--config-file', '.swcrc', '--ignore', '**/*.test.ts', '--quiet');

  test('every block of CONTRIBUTING is written to a file, run, or says why it is not', () => {
    const used = ({ attributes: { file, insert } }: CodeBlock): boolean => Boolean(file ?? insert);
    const rest = blocks.filter((block) => !used(block) && block.language !== '');
    expect(rest).toEqual([commands, firstCall]);
  });

  verifies(
    ['PL-03'],
    'is three files, which the two lists have then: they compile, like all samples, and their tests and the contract suite pass',
    async () => {
      const types = run('typescript7/bin/tsc', '-p', 'tsconfig.samples.json', '--noEmit', '--checkers', '1');
      await types.catch(({ stdout }: { readonly stdout: string }) => {
        throw new Error(stdout);
      });
      const tests = /^npm test -- (.+)$/m.exec(commands?.text ?? '')?.[1]?.split(' ') ?? [];
      const { stderr } = await run(
        'jest/bin/jest.js',
        '--rootDir',
        root,
        '--roots',
        join(root, 'apps'),
        join(root, 'libs/contracts'),
        '--runTestsByPath',
        ...tests,
      );
      expect(stderr).toMatch(/Test Suites: 2 passed, 2 total/);
    },
  );

  test('is answered on the first call of the page', async () => {
    mkdirSync(join(root, '.data'));
    writeFileSync(join(root, '.data/dev.env'), `INVOQ_URL=${system.gateway.url}\nINVOQ_API_KEY=${await system.tenant.key({})}\n`);
    const [answer] = firstCall ? await new ShellSamples(root, process.env).run(firstCall) : [];
    expect(JSON.parse(answer?.output ?? '')).toMatchObject({ success: true, data: { ratio: 0.46 } });
  });

  verifies(['TU-45', 'TU-124'], 'serves it on every door: JSON, stream, batch, discovery', async () => {
    const body = { waist_cm: 90, height_cm: 180 };
    expect(expectSuccess((await user.call('waist_to_height', body)).envelope)).toEqual({ ratio: 0.5 });
    await using stream = await user.stream('/tools/waist_to_height/sse?waist_cm=60&height_cm=180');
    expect(await stream.rest()).toMatchObject([
      { event: 'tool_progress', data: { progress: 0 } },
      { event: 'tool_result', data: { data: { ratio: 0.33 } } },
    ]);
    const calls = [
      { id: 1, name: 'waist_to_height', arguments: body },
      { id: 2, name: 'calc_metrics', arguments: {} },
    ];
    const { results } = (await user.post('/tools/batch', { calls })).as(batchShape);
    expect(results.map(({ envelope }) => envelope.data ?? envelope.error?.code)).toEqual([{ ratio: 0.5 }, 'INVALID_PARAMS']);
    expect((await user.get('/tools/waist_to_height')).body).toMatchObject({
      name: 'waist_to_height',
      parameters: { required: ['waist_cm', 'height_cm'], additionalProperties: false },
      estimated_tokens: { input: 20 },
    });
  });

  test('gives it validation, its own refusals and suggestions for a wrong name, without any code for them', async () => {
    const call = (input: object) => user.call('waist_to_height', input);
    const invalid = { status: 400, code: 'INVALID_PARAMS' } as const;
    expectRefusal(await call({ waist_cm: 90, height_cm: 180, age: 3 }), { ...invalid, paths: ['age'] });
    expectRefusal(await call({ waist_cm: 190, height_cm: 180 }), { ...invalid, native: 'WAIST_OVER_HEIGHT' });
    expect(expectRefusal(await user.call('waist_to_heigh', {}), { status: 404, code: 'TOOL_NOT_FOUND' }).error.message).toContain(
      "'waist_to_height'",
    );
  });

  test('adds a domain whose worker starts and is ready', async () => {
    expect((await fetch(`${system.more[0]?.url}/readyz`)).status).toBe(200);
  });

  test('adds a domain that has its rows in every deployment', async () => {
    const write = `
      const { staleWorkerRows } = await import('./dist/scripts/derived/worker-rows.js');
      const { writeFiles } = await import('./dist/scripts/derived/write-files.js');
      writeFiles(process.cwd(), staleWorkerRows(process.cwd()));`;
    await build('scripts');
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', write], {
      cwd: root,
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const lacking = rowsOfClock.filter(([file, row]) => !readFileSync(join(root, file), 'utf8').includes(row));
    expect(lacking).toEqual([]);
    const compose = [
      '--roots',
      join(root, 'test'),
      '--runTestsByPath',
      'test/documents/compose.test.ts',
      '--verbose',
      '--testNamePattern=-worker|app|password|variable',
    ];
    const { stderr } = await run('jest/bin/jest.js', '--rootDir', root, ...compose);
    expect(stderr).toMatch(/✓ clock-worker gets every setting that it reads, and no other/);
  });

  verifies(
    ['AW-31', 'TU-40', 'PL-03'],
    'beside a tool whose code is broken: that one fails as its document says, and shows nothing of its inside',
    async () => {
      writeFileSync(join(root, 'apps/profile-worker/src/tools/calc-metrics.ts'), brokenCalculator);
      await build('apps/profile-worker');
      await system.worker.stop();
      await system.worker.start();
      for (const age of [41, 42]) {
        const params = { height_cm: 175, weight_kg: 70, age, gender: 'male', activity_level: 'moderate' };
        const native = await user.post('/aurawell/calc_metrics', params);
        expect([native.status, native.as(nativeShape)]).toMatchObject([
          500,
          { status: 'error', data: null, error_code: 'CALCULATION_ERROR' },
        ]);
        const unified = await user.call('calc_metrics', params);
        const { error, metadata } = expectRefusal(unified, { status: 500, code: 'EXECUTION_ERROR', native: 'CALCULATION_ERROR' });
        expect([error.retryable, metadata.attempts]).toEqual([false, 1]);
        for (const reply of [native, unified]) expect(reply.text).not.toMatch(/planted|NaN|calc-metrics\.|\bat /);
      }
      expectSuccess((await user.call('waist_to_height', { waist_cm: 81, height_cm: 175 })).envelope);
    },
  );

  test('without its handler does not boot, and the worker says what to do', async () => {
    rmSync(join(root, 'apps/profile-worker/src/tools/waist-to-height.ts'));
    writeFiles(root, staleToolLists(root));
    await build('apps/profile-worker');
    const env = {
      REDIS_URL: 'redis://127.0.0.1:1',
      DATABASE_URL: 'postgresql://127.0.0.1:1/none',
      SEALING_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    };
    const worker = new AppProcess({ root, main: 'dist/apps/profile-worker/src/main.js', env, logFile: join(root, 'worker.log') });
    worker.launch();
    expect(await worker.exited).not.toBe(0);
    expect(worker.printed).toContain('no handler for waist_to_height 1.0.0: write it in apps/profile-worker/src/tools/');
  });
});

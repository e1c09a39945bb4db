// The promise to whoever adds a tool: three files, one line in each of two lists, and every door serves it.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { AppProcess, batchShape, nativeShape, startSystem, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { expectRefusal, expectSuccess } from './expectations.js';
import { verifies } from './verifies.js';

jest.setTimeout(2 * startTimeoutMs);

const contractFile = 'libs/contracts/src/tools/profile/scratch-greeting.ts';
const handlerFile = 'apps/profile-worker/src/tools/scratch-greeting.ts';
const testFile = 'apps/profile-worker/src/tools/scratch-greeting.test.ts';

const newFiles = {
  [contractFile]: `import { z } from 'zod';
import { defineTool } from '../../define-tool.js';

/** Written by a test. */
export const scratchGreeting = defineTool({
  name: 'scratch_greeting',
  version: '1.0.0',
  changelog: { '1.0.0': 'First version.' },
  title: 'Greeting',
  description: 'Greet somebody by name; nobody is greeted whose name begins with a digit.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({ name: z.string().min(1).max(50).describe('Whom to greet, 1–50 characters.') }),
  output: z.strictObject({ greeting: z.string() }),
  errors: { NO_NAME: 'INVALID_PARAMS' },
  timeoutMs: 1_000,
  estimatedTokens: { input: 10, output: { typical: 10, max: 30 } },
  examples: [{ input: { name: 'Ada' }, output: { greeting: 'Hello, Ada' } }],
});
`,
  [handlerFile]: `import { scratchGreeting } from '#lib/contracts';
import { handle } from '../services.js';

export const handleScratchGreeting = handle(scratchGreeting, ({ name }, { progress, error }) => {
  if (/^\\d/.test(name)) throw error('NO_NAME', 'A name begins with a letter');
  progress(50, 'Half of a greeting');
  return { greeting: \`Hello, \${name}\` };
});
`,
  [testFile]: `import { expect, test } from '@jest/globals';
import { runTool } from '#lib/worker';
import { handleScratchGreeting } from './scratch-greeting.js';

const caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const;
const services = { profiles: { find: () => Promise.reject(new Error('no database is needed')) }, bmiStandard: 'who' } as const;

test('greets by name', async () => {
  const attempt = { jobId: 'j', number: 1, input: { name: 'Ada' }, caller, sessionId: null, stop: new AbortController().signal, onProgress: () => undefined };
  expect(await runTool(handleScratchGreeting, services, attempt)).toMatchObject({ kind: 'done', data: { greeting: 'Hello, Ada' } });
});
`,
};

const newLines = {
  'libs/contracts/src/tools/index.ts': "export * from './profile/scratch-greeting.js';\n",
  'apps/profile-worker/src/tools/index.ts': "export * from './scratch-greeting.js';\n",
};

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

describe('adding a tool', () => {
  let root: string;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'invoq-add-a-tool-'));
    for (const source of ['apps', 'libs', 'scripts', 'package.json', 'tsconfig.json', '.swcrc', 'jest.config.mjs', 'test/jest'])
      cpSync(source, join(root, source), { recursive: true });
    symlinkSync(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
    for (const [file, text] of Object.entries(newFiles)) writeFileSync(join(root, file), text, { flag: 'wx' });
    for (const [file, line] of Object.entries(newLines)) writeFileSync(join(root, file), line, { flag: 'a' });
    await build();
    system = await startSystem({ root });
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
  const build = () =>
    run('@swc/cli/bin/swc.js', 'apps', 'libs', '-d', 'dist', '--config-file', '.swcrc', '--ignore', '**/*.test.ts', '--quiet');

  verifies(
    ['PL-03'],
    'is three files and one line in each of two lists: it compiles, and its tests and the contract suite pass',
    async () => {
      await run('typescript7/bin/tsc', '-p', 'tsconfig.json', '--noEmit');
      const { stderr } = await run(
        'jest/bin/jest.js',
        '--rootDir',
        root,
        '--roots',
        join(root, 'apps'),
        join(root, 'libs/contracts'),
        '--runTestsByPath',
        testFile,
        'libs/contracts/src/catalog.test.ts',
      );
      expect(stderr).toMatch(/Test Suites: 2 passed, 2 total/);
    },
  );

  verifies(['TU-45', 'TU-124'], 'serves it on every door: JSON, stream, batch, discovery', async () => {
    expect(expectSuccess((await user.call('scratch_greeting', { name: 'Ada' })).envelope)).toEqual({ greeting: 'Hello, Ada' });
    await using stream = await user.stream('/tools/scratch_greeting/sse?name=Grace');
    expect(await stream.rest()).toMatchObject([
      { event: 'tool_progress', data: { progress: 0 } },
      { event: 'tool_progress', data: { progress: 50, message: 'Half of a greeting' } },
      { event: 'tool_result', data: { data: { greeting: 'Hello, Grace' } } },
    ]);
    const { results } = (
      await user.post('/tools/batch', {
        calls: [
          { id: 1, name: 'scratch_greeting', arguments: { name: 'Ada' } },
          { id: 2, name: 'calc_metrics', arguments: {} },
        ],
      })
    ).as(batchShape);
    expect(results.map(({ envelope }) => envelope.data ?? envelope.error?.code)).toEqual([{ greeting: 'Hello, Ada' }, 'INVALID_PARAMS']);
    expect((await user.get('/tools/scratch_greeting')).body).toMatchObject({
      name: 'scratch_greeting',
      parameters: { required: ['name'], additionalProperties: false },
      estimated_tokens: { input: 10 },
    });
  });

  test('gives it validation, its own refusals and what is not found, without a word of code for them', async () => {
    expectRefusal(await user.call('scratch_greeting', { name: 'Ada', tone: 'warm' }), {
      status: 400,
      code: 'INVALID_PARAMS',
      paths: ['tone'],
    });
    expectRefusal(await user.call('scratch_greeting', { name: '4da' }), { status: 400, code: 'INVALID_PARAMS', native: 'NO_NAME' });
    expect(expectRefusal(await user.call('scratch_greetin', {}), { status: 404, code: 'TOOL_NOT_FOUND' }).error.message).toContain(
      "'scratch_greeting'",
    );
  });

  verifies(
    ['AW-31', 'TU-40', 'PL-03'],
    'beside a tool whose code is broken: that one fails as its document says, and shows nothing of its inside',
    async () => {
      writeFileSync(join(root, 'apps/profile-worker/src/tools/calc-metrics.ts'), brokenCalculator);
      await build();
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
      expectSuccess((await user.call('scratch_greeting', { name: 'Ada' })).envelope);
    },
  );

  test('without its handler does not boot, and the worker says what to do', async () => {
    const list = join(root, 'apps/profile-worker/src/tools/index.ts');
    writeFileSync(list, readFileSync(list, 'utf8').replace(newLines['apps/profile-worker/src/tools/index.ts'], ''));
    await build();
    const env = {
      REDIS_URL: 'redis://127.0.0.1:1',
      DATABASE_URL: 'postgresql://127.0.0.1:1/none',
      SEALING_KEYS: `k:${Buffer.alloc(32).toString('base64')}`,
    };
    const worker = new AppProcess({ root, main: 'dist/apps/profile-worker/src/main.js', env, logFile: join(root, 'worker.log') });
    worker.launch();
    expect(await worker.exited).not.toBe(0);
    expect(worker.printed).toContain('no handler for scratch_greeting 1.0.0: add it to the list of apps/profile-worker/src/tools/index.ts');
  });
});

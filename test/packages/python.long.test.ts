// The client for Python: typed strictly, built as a wheel, installed by pip without a network, and run beside a running system.
import { execFile } from 'node:child_process';
import { globSync, mkdtempDisposableSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startSystem, startTimeoutMs, type System } from '#lib/testing';
import { findPython } from '../../scripts/provision/python.js';

const run = promisify(execFile);

describe('the client for Python', () => {
  const started = new AsyncDisposableStack();
  const folder = started.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-wheel-'))).path;
  const site = join(folder, 'site');
  let python: string;
  let system: System;
  let wheel: string;

  beforeAll(async () => {
    python = findPython();
    const [running] = await Promise.all([
      startSystem(),
      run(process.execPath, ['dist/scripts/packages/main.js', 'python', '--out', folder]),
    ]);
    system = started.use(running);
    wheel = join(folder, globSync('*.whl', { cwd: folder })[0] ?? '');
    await run(python, ['-m', 'pip', 'install', '--no-index', '--no-deps', '--no-compile', '--target', site, wheel]);
  }, startTimeoutMs * 4);
  afterAll(() => started.disposeAsync());

  test('has the version of the product, and its types', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    expect(basename(wheel)).toBe(`invoq-${version}-py3-none-any.whl`);
    expect(globSync('invoq/*', { cwd: site }).map((file) => basename(file))).toEqual(expect.arrayContaining(['client.py', 'py.typed']));
  });

  test(
    'is typed without a gap',
    async () => {
      const mypy = ['-m', 'mypy', '--strict', '--cache-dir', '/dev/null', join(site, 'invoq')];
      const checked = await run(python, mypy, { env: { PATH: process.env['PATH'], MYPYPATH: site } }).catch((error: unknown) => error);
      expect(checked).toMatchObject({ stdout: expect.stringMatching(/^Success: no issues/) });
    },
    startTimeoutMs * 2,
  );

  test(
    'passes its own tests beside a running system',
    async () => {
      const env = { PATH: process.env['PATH'], PYTHONPATH: site, PYTHONDONTWRITEBYTECODE: '1', INVOQ_URL: system.gateway.url };
      const tests = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'clients/python/tests'];
      const serves = await system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
      const keys = { INVOQ_API_KEY: await system.tenant.key(), INVOQ_WORKER_KEY: serves };
      const { stdout } = await run(python, tests, { env: { ...env, ...keys } }).catch((error: { readonly stdout: string }) => error);
      expect(stdout).toMatch(/\d\d passed in/);
      expect(stdout).not.toMatch(/skipped|failed/);
    },
    startTimeoutMs * 2,
  );
});

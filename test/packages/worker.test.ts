// The package @invoq/worker, installed from its archive into a project of its own, serves the tool of its README to a running system.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { newProject, type NewProject } from './new-project.js';

const [, sample = ''] = /```ts\n([^]*?)```/.exec(readFileSync('libs/serve/README.md', 'utf8')) ?? [];
const [beforeServing = ''] = sample.split('await serve(');

const tsconfig = {
  compilerOptions: { strict: true, module: 'nodenext', target: 'es2022', lib: ['es2022', 'dom'], types: [], noEmit: true },
  include: ['*.ts'],
};

/** A unit test of the tool: what it gives, what it refuses, and the cause of a bug. */
const unit = `${beforeServing.replace('handle, serve', 'handle, testTool')}
const broken = handle(makeQuote, () => { throw new TypeError('no price list'); });
const results = [await testTool(tool, { units: 2 }), await testTool(tool, { units: 51 })];
const cause = await testTool(broken, { units: 2 }).catch((error: unknown) => String(error));
console.log(JSON.stringify([...results, cause]));
`;

describe('the package @invoq/worker', () => {
  const started = new AsyncDisposableStack();
  let system: System;
  let project: NewProject;
  let env: NodeJS.ProcessEnv;

  beforeAll(async () => {
    system = started.use(await startSystem({ workers: 0 }));
    const key = await system.tenant.key({ userId: null, scopes: ['tools:serve'], serves: ['sales'], approvesTools: true });
    env = { PATH: process.env['PATH'], INVOQ_API_KEY: key };
    project = started.use(await newProject('@invoq/worker', {}));
    project.write('tsconfig.json', JSON.stringify(tsconfig));
    project.write('node.d.ts', 'declare const process: { readonly env: Readonly<Record<string, string | undefined>> };');
    project.write('worker.ts', sample.replace('https://invoq.example', system.gateway.url));
    project.write('unit.ts', unit);
  }, startTimeoutMs * 2);
  afterAll(async () => started.disposeAsync());

  test(
    'compiles strictly, and a unit test of a tool sees what it gives, refuses and throws',
    async () => {
      expect(await project.compile()).toMatchObject({ code: 0, stdout: '' });
      const { stdout, stderr } = await project.node('unit.ts');
      expect([stderr.includes('Error'), JSON.parse(stdout)]).toEqual([
        false,
        [
          expect.objectContaining({ kind: 'done', data: { total: 20 } }),
          expect.objectContaining({ kind: 'refused', error: expect.objectContaining({ native_code: 'SOLD_OUT' }) }),
          'TypeError: no price list',
        ],
      ]);
    },
    startTimeoutMs,
  );

  test(
    'serves its tools to callers of the tenant, and leaves when it is told to',
    async () => {
      const worker = spawn(process.execPath, ['worker.ts'], { cwd: project.folder, env, stdio: 'ignore' });
      const exited = once(worker, 'exit');
      started.defer(() => void worker.kill('SIGKILL'));
      const user = await system.caller();
      await eventually(async () => (await user.get('/tools/make_quote')).status === 200, {
        withinMs: 30_000,
        what: 'the tool to be listed',
      });
      expect((await user.call('make_quote', { units: 2 })).envelope).toMatchObject({ success: true, data: { total: 20 } });
      expect(await user.post('/tools/make_quote', { units: 51 })).toMatchObject({
        status: 409,
        body: { error: { native_code: 'SOLD_OUT' } },
      });
      worker.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    },
    startTimeoutMs,
  );
});

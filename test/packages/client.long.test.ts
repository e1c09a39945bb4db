// The package @invoq/client, installed from its archive into a project of its own, beside a running system.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { startSystem, startTimeoutMs } from '#lib/testing';
import { newProject, type NewProject } from './new-project.js';

const body = '{ height_cm: 175, weight_kg: 70, age: 30, gender: "male", activity_level: "moderate" }';

const tsconfig = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
    types: [],
    noEmit: true,
  },
  include: ['*.ts'],
};

const typed = `import { Invoq, InvoqError, type OutputOf } from '@invoq/client';
import type { Tools } from './invoq-tools.js';

declare const process: { readonly env: Readonly<Record<string, string | undefined>> };
const invoq = new Invoq<Tools>({ url: process.env['INVOQ_URL'] ?? '', key: process.env['INVOQ_API_KEY'] });

const metrics: OutputOf<Tools, 'calc_metrics'> = (await invoq.call('calc_metrics', ${body})).data;
const bmi: number = metrics.bmi;

// @ts-expect-error the tool has no such parameter
const wrong = await invoq.call('calc_metrics', { ...${body}, shoe_size: 43 }).catch((error: unknown) => error);
if (!(wrong instanceof InvoqError)) throw new Error('expected a refusal');

const steps: string[] = [];
for await (const { event, data } of invoq.stream('calc_metrics', ${body})) {
  steps.push(event);
  if (event === 'tool_progress') data.progress.toFixed();
}

const started = await invoq.start('calc_metrics', { ...${body}, age: 31 });
const waited = started.job_id === null ? started.result : await invoq.wait<OutputOf<Tools, 'calc_metrics'>>(started.job_id);

const results = await invoq.batch([{ id: 1, name: 'calc_metrics', arguments: ${body} }]);
const untyped: unknown = (await invoq.call<string>('calc_metrics', { ...${body} })).data;

console.log(JSON.stringify({ bmi, wrong: [wrong.code, wrong.details], last: steps.at(-1), waited: waited.data.bmi, batch: results[0]?.success, untyped: untyped !== null }));
`;

const plain = `import { Invoq } from '@invoq/client';
const invoq = new Invoq({ url: process.env.INVOQ_URL, key: process.env.INVOQ_API_KEY });
console.log((await invoq.call('calc_metrics', ${body})).data.bmi);
`;

describe('the package @invoq/client', () => {
  const started = new AsyncDisposableStack();
  let project: NewProject;

  beforeAll(async () => {
    const system = started.use(await startSystem());
    const env = { INVOQ_DATA_DIR: '/nowhere/at/all', INVOQ_URL: system.gateway.url, INVOQ_API_KEY: await system.tenant.key() };
    project = started.use(await newProject('@invoq/client', env));
  }, startTimeoutMs * 2);
  afterAll(() => started.disposeAsync());

  test('brings nothing with it, and says what it is', () => {
    const lock = JSON.parse(readFileSync(join(project.folder, 'node_modules/.package-lock.json'), 'utf8'));
    expect(Object.keys(lock.packages)).toEqual(['node_modules/@invoq/client']);
    const [own, product] = [join(project.folder, 'node_modules/@invoq/client/package.json'), 'package.json'].map((file) =>
      JSON.parse(readFileSync(file, 'utf8')),
    );
    expect(own).toMatchObject({ name: '@invoq/client', version: product.version, type: 'module' });
    const map = JSON.parse(readFileSync(join(project.folder, 'node_modules/@invoq/client/dist/index.js.map'), 'utf8'));
    expect(map.sources.length).toBe(map.sourcesContent.length);
  });

  test(
    'calls with the types that invoq types wrote, compiled strictly, for Node and for bundlers',
    async () => {
      const command = join(process.cwd(), 'dist/apps/cli/src/main.js');
      const { code, stderr } = await project.node(command, 'types', join(project.folder, 'invoq-tools.ts'));
      expect([code, stderr]).toEqual([0, expect.stringMatching(/^Wrote the types of \d+ tools to /)]);
      project.write('tsconfig.json', JSON.stringify(tsconfig));
      project.write('app.ts', typed);
      expect(await project.compile()).toMatchObject({ code: 0, stdout: '' });
      expect(await project.compile('--module', 'esnext', '--moduleResolution', 'bundler')).toMatchObject({ code: 0, stdout: '' });
      const ran = await project.node('app.ts');
      expect(ran.stderr).not.toContain('Error');
      expect(JSON.parse(ran.stdout)).toEqual({
        bmi: 22.86,
        wrong: ['INVALID_PARAMS', [{ path: 'shoe_size', message: expect.any(String) }]],
        last: 'tool_result',
        waited: 22.86,
        batch: true,
        untyped: true,
      });
    },
    startTimeoutMs * 2,
  );

  test('runs from plain JavaScript', async () => {
    project.write('plain.js', plain);
    expect(await project.node('plain.js')).toMatchObject({ code: 0, stdout: '22.86\n' });
  });

  test('is small in a bundle for browsers, which needs nothing of Node', async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: plain, resolveDir: project.folder },
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      platform: 'browser',
      format: 'esm',
      define: { 'process.env.INVOQ_URL': '""', 'process.env.INVOQ_API_KEY': '""' },
    });
    const [output] = Object.values(metafile.outputs);
    expect(output?.imports).toEqual([]);
    const text = outputFiles[0]?.text ?? '';
    expect(text).not.toMatch(/node:|process\.|Buffer\b|require\(/);
    expect(text.length).toBeLessThan(28_000);
  });
});

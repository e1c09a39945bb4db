// The package @invoq/worker, installed from its archive into a project of its own, serves the tool of its README to a running system.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventually, startSystem, startTimeoutMs, type System } from '#lib/testing';
import { newProject, type NewProject } from './new-project.js';

const [, sample = ''] = /```ts\n([^]*?)```/.exec(readFileSync('libs/serve/README.md', 'utf8')) ?? [];
const [beforeServing = ''] = sample.split('await serve(');

const fault = z.object({ file: z.string(), line: z.int(), message: z.string() });

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

/** What tools of a folder share. */
const shared = `${beforeServing.split('const tool = ')[0]}
export const tool = (name: string, domain: \`own-\${string}\`) => handle({ ...makeQuote, name, domain }, () => ({ total: 1 }));
`;
const toolOf = (name: string, domain: string) =>
  `import { tool } from './parts/shared.ts';\n\nexport const made = tool('${name}', '${domain}');\n`;
const folder: Readonly<Record<string, string>> = {
  'parts/shared.ts': shared,
  'price-list.ts': toolOf('price_list', 'own-sales').replace('shared.ts', 'shared'),
  'price-list.test.ts': 'throw new Error("a test is no tool");\n',
  'second.ts': toolOf('price_list', 'own-sales'),
  'stock.ts': toolOf('stock_level', 'own-stock').replace('shared.ts', 'shared.js'),
  'many.ts': `import { z } from 'zod';\n${toolOf('Many', 'profile')}
export const other = { ...made, contract: { ...made.contract, title: '', input: z.strictObject({ rows: z.array(z.strictObject({ at: z.date() })) }) } };
`,
  'ours.ts': toolOf('calc_metrics', 'own-sales'),
  'wrong-name.ts': toolOf('Price-List', 'own-sales'),
  'wrong-domain.ts': toolOf('list_prices', 'profile'),
  'none.ts': 'export const rate = 3;\n',
  'no-handler.ts': "import { tool } from './parts/shared.ts';\n\nexport const { contract } = tool('rate', 'own-sales');\n",
  'types.ts': 'export const rate: = 3;\n',
  'script.mjs': '\nexport const rate = ;\n',
  'thrown.ts': '\n\nthrow new Error("no settings");\n',
  'import.ts': "\nimport './gone.ts';\n",
};
const serving = `import { serveFolder } from '@invoq/worker';
const events: object[] = [];
const options = { url: process.env.INVOQ_URL ?? '', key: process.env.INVOQ_API_KEY ?? '', stopsOnSignal: false };
const served = await serveFolder('tools', { ...options, onEvent: (event) => { if (event.kind === 'fault') events.push(event); } });
const ready = await served.ready;
await served.stop();
await served.stopped;
console.log(JSON.stringify({ ready, events }));
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
    'serves what of a folder can be served, and tells the rest with file and line',
    async () => {
      for (const [file, text] of Object.entries(folder)) {
        mkdirSync(dirname(join(project.folder, 'tools', file)), { recursive: true });
        project.write(`tools/${file}`, text);
      }
      project.write('serving.ts', serving);
      const { stdout } = await promisify(execFile)(process.execPath, ['serving.ts'], {
        cwd: project.folder,
        env: { ...env, INVOQ_URL: system.gateway.url },
      });
      const { ready, events } = z.object({ ready: z.array(z.string()), events: z.array(fault) }).parse(JSON.parse(stdout));
      expect(ready).toEqual(['price_list@1.0.0']);
      const told = events.map(
        ({ file, line, message }) => `${relative(join(realpathSync(project.folder), 'tools'), file)}:${line}: ${message}`,
      );
      expect(told.toSorted()).toEqual([
        expect.stringMatching(/^import\.ts:2: Error \[ERR_MODULE_NOT_FOUND\]: Cannot find module '.*gone\.ts'/),
        expect.stringMatching(/^many\.ts:4: Many: domain must not be 'profile', which is a domain of Invoq$/),
        expect.stringMatching(/^many\.ts:4: Many: name: must match/),
        expect.stringMatching(/^many\.ts:6: Many: domain must not be 'profile', which is a domain of Invoq$/),
        expect.stringMatching(/^many\.ts:6: Many: input: rows\[\]\.at: z\.date\(\) has no form in JSON: write z\.iso\.datetime\(\)/),
        expect.stringMatching(/^many\.ts:6: Many: name: must match/),
        expect.stringMatching(/^many\.ts:6: Many: title: /),
        expect.stringMatching(/^no-handler\.ts:3: the contract rate has no handler: export handle\(contract, …\)$/),
        expect.stringMatching(/^none\.ts:1: exports no tool/),
        expect.stringMatching(/^ours\.ts:3: name: 'calc_metrics' is a tool of Invoq; choose another name$/),
        expect.stringMatching(/^script\.mjs:2: SyntaxError: Unexpected token/),
        expect.stringMatching(/^second\.ts:3: price_list 1\.0\.0 is also in tools\/price-list\.ts:3: rename one/),
        expect.stringMatching(/^stock\.ts:3: This key serves the domains sales, and not stock$/),
        expect.stringMatching(/^thrown\.ts:3: Error: no settings$/),
        expect.stringMatching(/^types\.ts:1: SyntaxError \[ERR_INVALID_TYPESCRIPT_SYNTAX\]/),
        expect.stringMatching(/^wrong-domain\.ts:3: list_prices: domain must not be 'profile', which is a domain of Invoq$/),
        expect.stringMatching(/^wrong-name\.ts:3: Price-List: name: must match/),
      ]);
    },
    startTimeoutMs,
  );

  test.each([
    ['invoq_nothing', 'The API key is not valid'],
    ['nothing', 'This is no API key: one begins with invoq_ and is sent whole'],
  ])(
    'says of the wrong key %s that it is the key, once for a domain, and blames no file',
    async (key, message) => {
      project.write('tools/price-list.ts', folder['price-list.ts'] ?? '');
      project.write('tools/parts/shared.ts', shared);
      project.write('wrong-key.ts', serving.replace("event.kind === 'fault'", "event.kind === 'refused'"));
      const { stdout } = await promisify(execFile)(process.execPath, ['wrong-key.ts'], {
        cwd: project.folder,
        env: { ...env, INVOQ_URL: system.gateway.url, INVOQ_API_KEY: key },
      });
      expect(JSON.parse(stdout)).toEqual({
        ready: [],
        events: [
          { kind: 'refused', domain: 'sales', message },
          { kind: 'refused', domain: 'stock', message },
        ],
      });
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

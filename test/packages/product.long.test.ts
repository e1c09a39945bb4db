// The package invoq in a folder of its own: the product is started from it, on stores of its own, used and stopped.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventually, givenStores, HttpCaller, startTimeoutMs } from '#lib/testing';
import { pickPort } from '../../scripts/provision/ports.js';
import { newProject, type NewProject } from './new-project.js';

const record = z.record(z.string(), z.unknown());
const toolList = z.object({ tools: z.array(z.looseObject({ name: z.string(), examples: z.array(z.looseObject({ input: record })) })) });
const answerShape = z.looseObject({ error: z.looseObject({ code: z.string() }).nullish() });
const bin = 'node_modules/invoq/bin/invoq.mjs';
const body = ['--height_cm', '175', '--weight_kg', '70', '--age', '30', '--gender', 'male', '--activity_level', 'moderate'];

describe('the package invoq', () => {
  let project: NewProject;

  beforeAll(async () => {
    project = await newProject('invoq', {});
  }, startTimeoutMs * 2);
  afterAll(() => project?.[Symbol.dispose]());

  const manifestOf = (name: string) => JSON.parse(readFileSync(join(project.folder, 'node_modules', name, 'package.json'), 'utf8'));

  test('installs without scripts of its own or of what it names', () => {
    const names = ['invoq', ...Object.keys(manifestOf('invoq').dependencies)];
    expect(names).toContain('pg');
    const withScripts = names.filter((name) => {
      const { scripts = {} } = manifestOf(name);
      return ['preinstall', 'install', 'postinstall'].some((script) => script in scripts);
    });
    expect(withScripts).toEqual([]);
  });

  test('has the client and the worker, with their types', async () => {
    project.write(
      'tsconfig.json',
      JSON.stringify({ compilerOptions: { module: 'nodenext', strict: true, noEmit: true }, files: ['both.ts'] }),
    );
    project.write(
      'both.ts',
      "import { Invoq } from 'invoq/client';\nimport { serve } from 'invoq/worker';\nconsole.log(Invoq.name, serve.name);\n",
    );
    project.link('@types/node');
    expect(await project.compile()).toMatchObject({ code: 0, stdout: '' });
    expect(await project.node('both.ts')).toMatchObject({ code: 0, stdout: 'Invoq serve\n' });
  });

  test('takes a hundred megabytes', () => {
    const folder = join(project.folder, 'node_modules/invoq');
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    expect(bytes / 1e6).toBeLessThan(105);
  });

  test('says how to start what is not there', async () => {
    expect((await project.node(bin, '--help')).stdout).toMatch(/^Usage: invoq <command>[^]*^ {2}dev /m);
    expect(await project.node(bin, 'tools')).toMatchObject({ code: 2, stderr: expect.stringContaining('or run npx invoq dev first') });
    expect(existsSync(join(project.folder, '.data'))).toBe(false);
  });

  test(
    'tells everything that is wrong with a deployment at once',
    async () => {
      const { code, stderr } = await project.node(bin, 'deploy-check');
      expect([code, stderr]).toEqual([1, expect.stringMatching(/✗ REDIS_URL is missing \(gateway, [^]*✗ DATABASE_URL is missing/)]);
      const { redisUrl, databaseUrl } = givenStores();
      const settings = { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}` };
      const lines = Object.entries({ ...settings, DOMAINS: 'profile,memotree', PUBLIC_URL: 'https://invoq.example.com' });
      const env = (more: string) => project.write('.env', `${lines.map(([name, value]) => `${name}=${value}`).join('\n')}\n${more}`);
      env('');
      const right = await project.node(bin, 'deploy-check');
      env('REDIS_URL=redis://127.0.0.1:1\nWORKER_CONCURRENCY=many\n');
      const wrong = await project.node(bin, 'deploy-check');
      project.write('.env', '');
      expect(right).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('gateway, memotree-worker, profile-worker') });
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/✗ WORKER_CONCURRENCY [^]*✗ REDIS_URL: .* cannot be used/) });
    },
    startTimeoutMs * 2,
  );

  test(
    'runs the example of every tool, and makes reports of every format',
    async () => {
      const all = project.below('all');
      const env = { PATH: process.env['PATH'], HOME: project.folder, NO_COLOR: '1', INVOQ_DATA_DIR: all.folder };
      const args = [join(project.folder, bin), 'dev', '--demo', '--port', String(await pickPort(3_300))];
      const dev = spawn(process.execPath, args, { cwd: project.folder, env, stdio: 'ignore' });
      const ended = once(dev, 'exit');
      const written = (): NodeJS.Dict<string> =>
        existsSync(join(all.folder, 'dev.env')) ? parseEnv(readFileSync(join(all.folder, 'dev.env'), 'utf8')) : {};
      try {
        await eventually(() => written()['INVOQ_URL'] !== undefined, { withinMs: startTimeoutMs, what: 'the start' });
        const caller = new HttpCaller(written()['INVOQ_URL'] ?? '', written()['INVOQ_API_KEY'] ?? '');
        const { tools } = (await caller.get('/tools')).as(toolList);
        const examples = tools.flatMap(({ name, examples: [example] }) => (example ? [[name, example.input] as const] : []));
        expect(examples.length).toBeGreaterThan(40);
        const formats = ['pdf', 'docx', 'html'].map(
          (format) => ['generate_report', { title: 'T', content: '# 你好 **b**', format }] as const,
        );
        const faults: string[] = [];
        for (const [name, params] of [...examples, ...formats]) {
          const { error } = (await caller.post(`/tools/${name}`, params)).as(answerShape);
          // Other codes are of what an example names, which is not there.
          if (error && ['EXECUTION_ERROR', 'OVERLOADED', 'TIMEOUT'].includes(error.code)) faults.push(`${name}: ${error.code}`);
        }
        expect(faults).toEqual([]);
      } finally {
        dev.kill('SIGTERM');
        await ended;
      }
    },
    startTimeoutMs * 3,
  );

  test(
    'writes a project whose test passes, serves its tools beside the product, follows every save, and stops',
    async () => {
      await project.install('@invoq/worker');
      for (const [name, ours] of [['typescript', 'typescript7'], ['@types/node']] as const) project.link(name, ours);
      expect(await project.node(bin, 'init', 'mine')).toMatchObject({ code: 0, stderr: '' });
      const mine = project.below('mine');
      const invoq = `../${bin}`;
      // As people and tsc write an import of TypeScript.
      const unit = join(mine.folder, 'tools/count-words.test.ts');
      writeFileSync(unit, readFileSync(unit, 'utf8').replace('./count-words.ts', './count-words.js'));
      expect(await mine.node(invoq, 'test')).toMatchObject({ code: 0, stdout: expect.stringMatching(/pass 2\n/) });
      expect(await mine.compile()).toMatchObject({ code: 0, stdout: '' });
      const tool = join(mine.folder, 'tools/count-words.ts');
      const written = readFileSync(tool, 'utf8');
      mine.write('tools/helper.ts', 'export const wrong: number = "one";\n');

      const env = { PATH: process.env['PATH'], HOME: mine.folder, NO_COLOR: '1' };
      const args = [join(mine.folder, invoq), 'dev', '--domains', 'profile', '--port', String(await pickPort(3_300))];
      const dev = spawn(process.execPath, args, { cwd: mine.folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [dev.stdout, dev.stderr]) stream.on('data', (text) => (said += String(text)));
      const told = (text: RegExp) =>
        eventually(() => dev.exitCode !== null || text.test(said), { withinMs: startTimeoutMs, what: `${text} in\n${said}` });
      const ended = once(dev, 'exit');
      try {
        await told(/Your tools count_words run tools\//);
        expect(said).toContain('✗ tools/helper.ts:1: exports no tool');
        await told(/tools\/helper\.ts[^]*Type 'string' is not assignable to type 'number'[^]*Types are wrong/);
        const called = await mine.node(invoq, 'call', 'calc_metrics', ...body);
        expect([called.stderr, JSON.parse(called.stdout).bmi]).toEqual(['', 22.86]);
        const words = async () => mine.node(invoq, 'call', 'count_words', '--text', 'Two words');
        expect(await words()).toMatchObject({ code: 0, stdout: '{\n  "words": 2\n}\n' });
        // As editors do: another file takes the place of the old one.
        writeFileSync(`${tool}~`, written.replace('return { words }', 'return { words: words * 10 }'));
        renameSync(`${tool}~`, tool);
        await told(/run the change of tools\/count-words\.ts/);
        expect(JSON.parse((await words()).stdout)).toEqual({ words: 20 });
        writeFileSync(tool, written.replace('return {', "if (text === 'Two words') throw new TypeError('planted');\n    return {"));
        await told(/(run the change of tools\/count-words\.ts[^]*){2}/);
        expect(await words()).toMatchObject({ code: 1, stderr: expect.stringContaining('EXECUTION_ERROR') });
        await told(/✗ count_words, attempt 1 failed \(internal\): TypeError: planted\n +at .*tools\/count-words\.ts:\d+:\d+/);
        const named = [...said.matchAll(/ at .*?(?:\(|file:\/\/| )(\/[^:()\s]+\.[cm]?[jt]s):\d+/g)].map(([, file = '']) => file);
        expect([named.length > 1, named.filter((file) => !existsSync(file))]).toEqual([true, []]);

        const { INVOQ_URL = '' } = parseEnv(readFileSync(join(mine.folder, '.data/dev.env'), 'utf8'));
        expect((await fetch(`${INVOQ_URL}/console`)).status).toBe(200);
        expect(await (await fetch(`${INVOQ_URL}/docs`)).text()).toContain('<a href="/docs/tutorials/first-call.md">Your first call</a>');
        expect(await (await fetch(`${INVOQ_URL}/docs/tutorials/first-call.md`)).text()).toMatch(/^# Your first call\n/);
        const again = await mine.node(invoq, 'dev', '--port', '1');
        expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/another start \(pid \d+\).*npx invoq stop/) });
        expect(await mine.node(invoq, 'stop')).toMatchObject({ code: 0 });
        expect(await ended).toEqual([0, null]);
        expect(said).toMatch(/Variables +\.data\/dev\.env[^]*npx invoq stop stops everything[^]*Stopped\.\n$/);
        await expect(fetch(INVOQ_URL)).rejects.toThrow('fetch failed');
      } finally {
        dev.kill('SIGTERM');
        await ended;
      }
    },
    startTimeoutMs * 3,
  );
});

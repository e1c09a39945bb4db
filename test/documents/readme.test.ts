// Every sample of the README runs against a real system, and its JSON answers have the documented shape.
import { mkdtempDisposableSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { HttpCaller, startSystem, startTimeoutMs } from '#lib/testing';
import { WeatherServer } from '../../scripts/stand-ins/weather/weather-server.js';
import { readMarkdown, type CodeBlock } from './markdown.js';
import { ShellSamples, type CommandOutput } from './shell-samples.js';
import { shapeOf } from './shapes.js';

const { blocks, inlineCode } = readMarkdown('README.md');
const run = blocks.filter(({ notRun, language }) => notRun === null && language !== '');

test('every block runs or says why it does not', () => {
  expect(blocks.flatMap(({ notRun }) => notRun ?? [])).toEqual(['npm test itself runs this file']);
  expect([...new Set(run.map(({ language }) => language))]).toEqual(['sh', 'json', 'ts']);
});

describe('in a clone, beside a running product', () => {
  const started = new AsyncDisposableStack();
  const clone = started.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-readme-')));
  let shell: ShellSamples;
  let user: HttpCaller;
  let outputs: readonly CommandOutput[] = [];

  beforeAll(async () => {
    const weather = started.use(await WeatherServer.start());
    const worker = (domain: string) => ({ main: `dist/apps/${domain}-worker/src/main.js`, env: { WEATHER_API_BASE: weather.url } });
    const more = ['knowledge', 'memotree', 'agent', 'perception'].map(worker);
    const system = started.use(await startSystem({ more }));
    const key = await system.tenant.key({});
    user = new HttpCaller(system.gateway.url, key);
    for (const entry of readdirSync('.').filter((name) => name !== '.data'))
      symlinkSync(join(process.cwd(), entry), join(clone.path, entry));
    mkdirSync(join(clone.path, '.data'));
    writeFileSync(join(clone.path, '.data/dev.env'), `INVOQ_URL=${system.gateway.url}\nINVOQ_API_KEY=${key}\n`);
    const path = `${dirname(process.execPath)}:${process.env['PATH']}`;
    // The command line reads .data/dev.env of the real folder: its variables are given to it here.
    const env = { INVOQ_URL: system.gateway.url, INVOQ_API_KEY: key };
    shell = new ShellSamples(clone.path, { PATH: path, HOME: process.env['HOME'], ...env });
  }, startTimeoutMs);
  afterAll(() => started.disposeAsync());

  test('every route that the README names is there', async () => {
    const { paths } = (await user.get('/openapi.json')).as(z.object({ paths: z.record(z.string(), z.unknown()) }));
    const documented = Object.keys(paths).map(withoutNames);
    const named = inlineCode.flatMap(({ text }) => /^(?:(?:GET|POST|DELETE) )?(\/[\w./{}…-]+)$/.exec(text)?.[1] ?? []);
    const isDocumented = (path: string): boolean =>
      path.endsWith('…') ? documented.some((one) => one.startsWith(path.slice(0, -1))) : documented.includes(withoutNames(path));
    // The probes, the page and the board stand outside of the description.
    const others = named.filter((path) => !isDocumented(path));
    const statuses = await Promise.all(others.map(async (path) => [path, (await user.get(path)).status] as const));
    expect(named.length).toBeGreaterThan(20);
    expect(statuses.filter(([, status]) => status === 404)).toEqual([]);
  });

  test.each(run.map((block) => [block.line, block.language, block] as const))(
    'line %i, %s',
    async (_, language, block) => {
      if (language === 'sh') outputs = await shell.run(block, isRight);
      if (language === 'ts') outputs = await shell.run(programOf(block, clone.path), isRight);
      if (language === 'json') expectLike(JSON.parse(outputs.at(-1)?.output ?? ''), JSON.parse(block.text));
      // Each command of the terminal is a process of its own.
    },
    90_000,
  );
});

/** Parameters of a path have other names in the description. */
function withoutNames(path: string): string {
  return path.replace(/\{\w+\}/g, '{}');
}

function isRight(output: string): boolean {
  return output !== '' && !/"success":\s*false|^event: (tool_)?error/m.test(output);
}

/** The same fields of the same kinds, and the same data. */
function expectLike(answer: { readonly data: object }, sample: { readonly data: object }): void {
  expect([shapeOf(answer)]).toMatchObject([shapeOf(sample)]);
  const { '…': _, ...data } = { '…': '', ...sample.data };
  expect(answer.data).toMatchObject(data);
}

/** The block as a program in the clone, and the command that runs it. */
function programOf(block: CodeBlock, folder: string): CodeBlock {
  const file = `readme-${block.line}.ts`;
  writeFileSync(join(folder, file), block.text);
  return { ...block, text: `node --no-warnings ${file}\n` };
}

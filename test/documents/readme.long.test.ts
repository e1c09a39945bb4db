// Every sample of the README, of the tutorials and how-tos, and of pages of tools runs against one real system, and JSON answers have the
// documented shape.
import { globSync, mkdtempDisposableSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { calcMetrics } from '#lib/contracts';
import { HttpCaller, ModelServer, startSystem, startTimeoutMs, type ModelRequest } from '#lib/testing';
import { findPython } from '../../scripts/provision/python.js';
import { sampleLanguages, sampleOf } from '../../scripts/docs/tool-samples.js';
import { WeatherServer } from '../../scripts/stand-ins/weather/weather-server.js';
import { parseMarkdown, readMarkdown, type CodeBlock } from './markdown.js';
import { ShellSamples, type CommandOutput } from './shell-samples.js';
import { shapeOf } from './shapes.js';

const { blocks } = readMarkdown('README.md');
const { inlineCode } = readMarkdown('docs/reference/http-api.md');
const isRun = ({ notRun, language }: CodeBlock): boolean => notRun === null && language !== '';
const run = blocks.filter(isRun);
/** Pages whose samples are run too, each in a terminal of its own. The languages of code that is shown and not run. */
const pages = globSync('docs/{tutorials,how-to,zh/tutorials}/*.md').toSorted();
const shown = new Set(['json', 'md', 'sql', 'text', 'toml', 'yaml']);
/** The tool whose samples are run in each way. One function makes them for every tool. */
const sampledTools = [calcMetrics];

test('every block runs or says why it does not', () => {
  expect(blocks.flatMap(({ notRun }) => notRun ?? [])).toEqual([
    'npm test itself runs this file',
    'test/packages/product.long.test.ts does this with the packages installed',
    'test/packages/worker.long.test.ts serves such a tool',
  ]);
  expect([...new Set(run.map(({ language }) => language))]).toEqual(['sh', 'json', 'ts']);
});

describe('in a clone, beside a running product', () => {
  const started = new AsyncDisposableStack();
  const clone = started.use(mkdtempDisposableSync(join(tmpdir(), 'invoq-readme-')));
  let shell: ShellSamples;
  let user: HttpCaller;
  let outputs: readonly CommandOutput[] = [];
  let newShell: (variables?: Readonly<Record<string, string>>) => ShellSamples;
  let exported: Readonly<Record<string, string>>;
  let model: ModelServer;

  beforeAll(async () => {
    model = started.use(await ModelServer.start());
    const result = ({ texts }: ModelRequest) => texts.find((text) => text.includes('humidity'));
    const call = { name: 'get_weather', arguments: { location: 'Beijing' } };
    model.on('weather in Beijing', (request) => (result(request) ? { text: 'The tool has answered.' } : { calls: [call] }));
    const weather = started.use(await WeatherServer.start());
    const worker = (domain: string) => ({ main: `dist/apps/${domain}-worker/src/main.js`, env: { WEATHER_API_BASE: weather.url } });
    const more = ['knowledge', 'memotree', 'agent', 'perception'].map(worker);
    const system = started.use(await startSystem({ more }));
    const key = await system.tenant.key({});
    const adminKey = await system.tenant.key({ userId: null, scopes: ['*'] });
    user = new HttpCaller(system.gateway.url, key);
    for (const entry of readdirSync('.').filter((name) => name !== '.data'))
      symlinkSync(join(process.cwd(), entry), join(clone.path, entry));
    mkdirSync(join(clone.path, '.data'));
    writeFileSync(
      join(clone.path, '.data/dev.env'),
      `INVOQ_URL=${system.gateway.url}\nINVOQ_API_KEY=${key}\nINVOQ_ADMIN_KEY=${adminKey}\n`,
    );
    const path = `${dirname(process.execPath)}:${process.env['PATH']}`;
    // The command line reads it here, not in the real folder. Programs get what a reader's terminal exports to them, no more.
    const env = { INVOQ_DATA_DIR: join(clone.path, '.data') };
    exported = { INVOQ_URL: system.gateway.url, INVOQ_API_KEY: key };
    const ofModels = {
      OPENAI_BASE_URL: model.url,
      OPENAI_API_KEY: 'key',
      ANTHROPIC_BASE_URL: new URL(model.url).origin,
      ANTHROPIC_API_KEY: 'key',
    };
    const ofPython = { PYTHONPATH: join(process.cwd(), 'clients/python/src'), PYTHONDONTWRITEBYTECODE: '1' };
    newShell = (variables = {}) =>
      new ShellSamples(clone.path, { PATH: path, HOME: process.env['HOME'], ...ofPython, ...ofModels, ...env, ...variables });
    shell = newShell();
    installPackages(join(clone.path, 'samples'));
  }, startTimeoutMs);
  afterAll(() => started.disposeAsync());

  test('every route that the page of the HTTP API names is there', async () => {
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

  test.each(pages)(
    '%s: what it shows runs, or says why it does not',
    async (page) => {
      const terminal = newShell();
      const samples = readMarkdown(page).blocks.filter((block) => isRun(block) && !shown.has(block.language));
      for (const block of samples) {
        const right = block.attributes['answer'] === 'error' ? isRefusal : isRight;
        await terminal.run(block.language === 'sh' ? withoutNpx(block) : programOf(block, clone.path), right);
      }
    },
    90_000,
  );

  test('a model gets the answer of the tool by each SDK of the tutorial', () => {
    const answered = model.requests.filter(({ texts }) => texts.some((text) => text.includes('humidity')));
    const clients = answered.map(({ headers }) => /^[a-z]+/i.exec(String(headers['user-agent']))?.[0]);
    expect(clients).toEqual(['ai', 'OpenAI', 'Anthropic']);
  });

  test.each(pages.filter((page) => page.endsWith('your-own-tool.md')))(
    '%s: its tool gives what its example says, and refuses',
    async (page) => {
      const [tool] = readMarkdown(page).blocks.filter(({ attributes }) => attributes['file']);
      if (!tool) throw new Error('there is no tool');
      const text = `import { testTool } from '@invoq/worker';
${tool.text}
console.log(JSON.stringify([await testTool(tool, { article: 'A-1' }), await testTool(tool, { article: 'B' })]));`;
      const [{ output } = { output: '' }] = await newShell().run(programOf({ ...tool, text }, clone.path));
      expect(JSON.parse(output)).toMatchObject([
        { kind: 'done', data: { pieces: 12 } },
        { kind: 'refused', error: { native_code: 'NO_SUCH_ARTICLE' } },
      ]);
    },
    90_000,
  );

  test.each(sampledTools.flatMap((contract) => sampleLanguages.map((way) => [contract.name, way, contract.examples[0].input] as const)))(
    'the page of %s, %s',
    async (name, way, input) => {
      const { language, text } = sampleOf(way, name, input);
      const [block] = parseMarkdown(`${name}-${way}.md`, `\`\`\`${language}\n${text}\n\`\`\``).blocks;
      if (!block) throw new Error('there is no sample');
      const [{ output } = { output: '' }] = await newShell(exported).run(
        language === 'sh' ? withoutNpx(block) : programOf(block, clone.path),
        isRight,
      );
      expect(output).toMatch(/bmi.*22\.86/s);
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

function isRefusal(output: string): boolean {
  return /"success":\s*false/.test(output) && /INVALID_PARAMS|PERMISSION_DENIED/.test(output);
}

/** Runs the command line itself: npx takes seconds to find it, each time. The README's samples use npx as it is. */
function withoutNpx(block: CodeBlock): CodeBlock {
  return { ...block, text: block.text.replaceAll('npx invoq', `node --no-warnings ${join(process.cwd(), 'dist/apps/cli/src/main.js')}`) };
}

/** The block as a program in the clone, and the command that runs it. */
function programOf(block: CodeBlock, folder: string): CodeBlock {
  const name = `${block.document.replaceAll(/\W/g, '-')}-${block.line}`;
  if (block.language === 'python') {
    writeFileSync(join(folder, `${name}.py`), block.text);
    return { ...block, text: `${findPython()} ${name}.py\n` };
  }
  // Beside the packages that a reader installs; the README's own sample is one of the clone.
  const file = block.document === 'README.md' ? `.data/${name}.ts` : `samples/${name}.ts`;
  writeFileSync(join(folder, file), block.text);
  const variables = block.document === 'README.md' ? '--env-file=.data/dev.env ' : '';
  return { ...block, text: `node --no-warnings ${variables}${file}\n` };
}

/** Packages as readers have them: ours, which test/packages builds and installs themselves, and those of others that only the world's suite has. */
function installPackages(folder: string): void {
  for (const name of ['@ai-sdk/mcp']) {
    mkdirSync(join(folder, 'node_modules', dirname(name)), { recursive: true });
    symlinkSync(join(process.cwd(), 'world/packages/node_modules', name), join(folder, 'node_modules', name));
  }
  for (const [name, library] of [
    ['client', 'client'],
    ['worker', 'serve'],
  ] as const) {
    const place = join(folder, 'node_modules/@invoq', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'package.json'), `{ "name": "@invoq/${name}", "type": "module", "main": "index.js" }`);
    writeFileSync(join(place, 'index.js'), `export * from ${JSON.stringify(join(process.cwd(), `dist/libs/${library}/src/index.js`))};\n`);
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
}

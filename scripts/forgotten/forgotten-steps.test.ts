import { mkdirSync, mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { staleToolLists } from '../derived/tool-lists.js';
import { writeFiles } from '../derived/write-files.js';
import { forgottenSteps } from './forgotten-steps.js';

const contract = 'libs/contracts/src/tools/clock/tell-time.ts';
const handler = 'apps/clock-worker/src/tools/tell-time.ts';
const contractList = 'libs/contracts/src/tools/index.ts';
const handlerList = 'apps/clock-worker/src/tools/index.ts';
const unit = 'apps/clock-worker/src/tools/tell-time.test.ts';
const main = 'apps/clock-worker/src/main.ts';
const config = 'apps/clock-worker/src/config.ts';
const settings = 'scripts/app-settings.ts';
const domains = 'libs/contracts/src/domains.ts';

/** One domain with one tool, and nothing forgotten. */
const whole: Readonly<Record<string, string>> = {
  [domains]: "export const domains = {\n  clock: { name: 'clock', concurrency: 1 },\n};\n",
  [contract]: "import { defineTool } from '../../define-tool.js';\n\nexport const tellTime = defineTool({\n  name: 'tell_time',\n});\n",
  [handler]: "import { tellTime } from '#lib/contracts';\n\nexport const handleTellTime = handle(tellTime, () => ({}));\n",
  [unit]: "import { handleTellTime } from './tell-time.js';\n",
  [main]: 'await startWorker();\n',
  [config]: 'export const clockSettings = {};\n',
  [settings]: "import { clockSettings } from '../apps/clock-worker/src/config.js';\n",
};

let root: string;
let remove: () => void;
const write = (file: string, text: string) => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
};
const stale = (file: string) => `${file}:1: this list is not that of the tools that are there: run \`npm run format\``;
const told = () => forgottenSteps(root).map(({ file, line, message }) => `${file}:${line}: ${message}`);

beforeEach(() => {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-forgotten-'));
  root = folder.path;
  remove = () => folder.remove();
  for (const [file, text] of Object.entries(whole)) write(file, text);
  writeFiles(root, staleToolLists(root));
});
afterEach(() => remove());

test('of a tool and a domain with all their steps nothing is told', () => {
  expect(told()).toEqual([]);
});

test.each<[string, string, string]>([
  ['the list of contracts', contractList, stale(contractList)],
  ['the list of handlers', handlerList, stale(handlerList)],
  ['the test', unit, `${handler}:3: handleTellTime has no test: write ${unit}`],
  ['the row of the domain', domains, `${main}:1: clock-worker has no domain: add a row of clock in ${domains}`],
  ['the worker', main, `${domains}:2: clock has no worker: write ${main}`],
  ['its settings', settings, `${main}:1: clock-worker has settings that no deployment gives it: add its src/config.ts to ${settings}`],
])('without %s its place is told, and what to do', (_, file, message) => {
  rmSync(join(root, file));
  expect(told()).toEqual([message]);
});

test('without the handler the list that names it is told too', () => {
  rmSync(join(root, handler));
  expect(told()).toEqual([stale(handlerList), `${contract}:3: tellTime has no handler: write ${handler}`]);
});

test('a domain may have a row of several lines', () => {
  write(domains, "export const domains = {\n  clock: {\n    name: 'clock',\n    concurrency: 1,\n  },\n};\n");
  expect(told()).toEqual([]);
});

test('a worker without settings of its own is not listed with them', () => {
  for (const file of [config, settings]) rmSync(join(root, file));
  expect(told()).toEqual([]);
});

test('a deprecated contract needs no handler, because it is never run', () => {
  write(contract, `${whole[contract]}// deprecated: true\n`);
  for (const file of [handler, unit]) rmSync(join(root, file));
  writeFiles(root, staleToolLists(root));
  expect(told()).toEqual([]);
});

test('a second version is tested under its range, and a longer name is none of it', () => {
  write('apps/clock-worker/src/tools/tell-time-v2.ts', 'export const handleTellTimeV2 = handle(tellTime, () => ({}));\n');
  writeFiles(root, staleToolLists(root));
  write('test/versions.test.ts', "call('tell_time@20')");
  expect(told()).toEqual([expect.stringContaining('handleTellTimeV2 has no test')]);
  write('test/versions.test.ts', "call('tell_time@2')");
  expect(told()).toEqual([]);
});

import { expect, test } from '@jest/globals';
import { root } from '#lib/command-line';
import { contractList, handlerList, staleToolLists, toolLists } from './tool-lists.js';

const sources = new Map([
  ['libs/contracts/src/tools/clock/tell-time.ts', "export const zones = ['UTC'];\nexport const tellTime = defineTool({\n});\n"],
  ['libs/contracts/src/tools/clock/fields.ts', 'export const zone = z.string();\n'],
  ['libs/contracts/src/tools/alarm/ring.ts', 'export const ring = alarmTool({\n});\n'],
  ['libs/contracts/src/tools/alarm/alarm-tool.ts', 'export function alarmTool(form) {\n  return defineTool(form);\n}\n'],
  ['libs/contracts/src/tools/alarm/ring.test.ts', 'export const sample = defineTool({});\n'],
  ['apps/clock-worker/src/main.ts', 'await startWorker();\n'],
  ['apps/clock-worker/src/tools/tell-time.ts', 'export const handleTellTime = handle(tellTime, () => ({}));\n'],
  ['apps/clock-worker/src/tools/zones.ts', 'export function zoneOf() {}\n'],
  ['apps/alarm-worker/src/main.ts', 'await startWorker();\n'],
]);
const linesOf = (file: string) => toolLists(sources).get(file)?.split('\n').slice(1, -1);

test('the list of contracts has the tools of all domains, in the order of their files, and no helpers or tests', () => {
  expect(linesOf(contractList)).toEqual(["export { ring } from './alarm/ring.js';", "export { tellTime } from './clock/tell-time.js';"]);
});

test('each worker has a list of its handlers, which is a module even where it has none', () => {
  expect(linesOf(handlerList('clock-worker'))).toEqual(["export { handleTellTime } from './tell-time.js';"]);
  expect(linesOf(handlerList('alarm-worker'))).toEqual(['export {};']);
  expect([...toolLists(sources).keys()]).toHaveLength(3);
});

test("the tools of the agent's own process have a list besides", () => {
  const tools = 'apps/agent-worker/src/tools';
  const lists = toolLists(
    new Map([
      ['apps/agent-worker/src/main.ts', ''],
      [`${tools}/turn.ts`, 'export const handleTurn = handleAsTurn(turn, () => ({}));\n'],
      [`${tools}/use-skill.ts`, 'export const handleUseSkill = handleLocal(useSkill, () => ({}));\n'],
    ]),
  );
  expect(lists.get(`${tools}/index.ts`)).toMatch(/\{ handleTurn \}.*\n.*\{ handleUseSkill \}/);
  expect(lists.get(`${tools}/local.ts`)).toMatch(/^\/\/.*\nexport \{ handleUseSkill \} from '\.\/use-skill\.js';\n$/);
});

test('the lists are those of the tools that are there (after a change, `npm run format` writes them)', () => {
  expect([...staleToolLists(root).keys()]).toEqual([]);
});

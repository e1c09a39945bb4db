// Each message that a caller can get has its words in Chinese, and none is kept that nobody can get any more.
import { expect, test } from '@jest/globals';
import { inChinese, translatedMessages as chinese } from '../../libs/contracts/src/chinese.js';
import { collectMessages } from './messages.js';

/** What the reading of sources takes for a message, and what it is. */
const others: Readonly<Record<string, string>> = {
  '{} {}': 'a name before a message of its file',
  '{}{} {}': 'a place in a request before a message of its file; words.ts has the places',
  '{}…': 'the beginning of a text of somebody else',
  '{}/{}': 'who cancelled',
  '{}/%{}': 'who cancelled',
  '{}/key:{}': 'who cancelled',
  "Parameter 'toolset' {}": 'a name before a message of its file',
  'must be {} {}': 'words.ts has what bound() gives',
  'must have {} {} character': 'words.ts has what bound() gives',
  'must have {} {} characters': 'words.ts has what bound() gives',
  'must have {} {} item': 'words.ts has what bound() gives',
  'must have {} {} items': 'words.ts has what bound() gives',
  provider_changed: 'a code',
  provider_error: 'a code',
  access_denied: 'a code',
  code: 'a field of errors of databases',
  kind: 'a field of errors of databases',
  originalCode: 'a field of errors of databases',
  originalMessage: 'a field of errors of databases',
  Title: 'a level of detail',
  warn: 'a level of a log',
};
const told = 'somebody else wrote it: a person, or a server of others';
const ofTheFile = 'it is a message of the same file, which is read there';
/** Where a message comes from what is not followed, and whose it is. */
const elsewhere: Readonly<Record<string, string>> = {
  'apps/gateway/src/calls/endings.ts: reason': told,
  'apps/gateway/src/tenants/expression.ts: looked': 'the library of expressions says it',
  'apps/gateway/src/later/schedules/schedule-sweeper.ts: reason': ofTheFile,
  'apps/memotree-worker/src/canvas/render.ts: levels.get(nodeId)': 'a level of detail',
  'apps/memotree-worker/src/tools/expand-node.ts: warning': ofTheFile,
  'apps/memotree-worker/src/tools/import-markdown.ts: cut': ofTheFile,
  'apps/perception-worker/src/sql/sql-upstream.ts: address': 'an address',
  'apps/perception-worker/src/upstreams/careless-messages.ts: JSON.stringify(message ?? error)': told,
  "apps/perception-worker/src/upstreams/careless-messages.ts: headers.get('content-type')": told,
  'apps/perception-worker/src/upstreams/mcp-answer.ts: JSON.stringify(structured)': told,
  'apps/perception-worker/src/upstreams/mcp-answer.ts: block': told,
  'apps/perception-worker/src/upstreams/mcp-answer.ts: resource': told,
  'apps/perception-worker/src/upstreams/outside-handler.ts: hide(message)': told,
  'libs/contracts/src/identity.ts: reserved(id)': ofTheFile,
  'libs/contracts/src/outside/asked-address.ts: fault': ofTheFile,
  'libs/contracts/src/outside/relayed.ts: said': told,
  'libs/contracts/src/question.ts: String(error)': 'a library of schemas says it',
  'libs/contracts/src/served/to-served-tool.ts: String(error)': 'a library of schemas says it',
  'libs/contracts/src/served/worker-limits.ts: 20': 'a number',
  'libs/handlers/src/failures.ts: Reflect.get(holder, key)': told,
  'libs/retrieval/src/retriever.ts: warning': ofTheFile,
  'libs/worker/src/process-job.ts: attempt': 'an attempt of a call',
};

const { messages, unread } = collectMessages();

test('every message that a caller can get has a form in Chinese', () => {
  expect(messages.length).toBeGreaterThan(500);
  const missing = messages.filter(({ text }) => !isKnown(text) && !Object.hasOwn(others, text) && !/\p{Script=Han}/u.test(text));
  expect(missing.map(({ text, at }) => `${at}: ${text}`)).toEqual([]);
});

test('no form in Chinese is left of a message that is gone', () => {
  const used = new Set(messages.flatMap(({ text }) => [...keysOf(text)]));
  expect(Object.keys(chinese).filter((english) => !used.has(english))).toEqual([]);
});

test('where a message is made of what the sources do not show, it is known why', () => {
  expect(unread.filter((place) => !Object.hasOwn(elsewhere, place))).toEqual([]);
});

test('each form says all that is known at run time alone, and no more', () => {
  for (const [english, zh] of Object.entries(chinese)) {
    const values = english.split('{}').length - 1;
    const places = [...zh.matchAll(/\{[~!]?(\d?)\}/g)].map(([, place], index) => Number(place || index + 1));
    expect([english, [...new Set(places)].toSorted((a, b) => a - b)]).toEqual([
      english,
      Array.from({ length: values }, (_, index) => index + 1),
    ]);
  }
});

test.each(Object.entries(chinese))('%s is found for its message', (english, zh) => {
  const asked = new Set([...zh.matchAll(/\{!(\d?)\}/g)].map(([, place]) => Number(place || 1) - 1));
  const sample = (place: number): string => (asked.has(place) ? 'must be a URL' : `v${place}`);
  const message = english.split('{}').reduce((before, part, place) => before + sample(place - 1) + part);
  const values = english
    .split('{}')
    .slice(1)
    .map((_, place) => (asked.has(place) ? '必须是 URL' : `v${place}`));
  let next = 0;
  expect(inChinese(message)).toBe(
    zh.replaceAll(/\{[~!]?(\d?)\}/g, (_, place: string) => values[place === '' ? next++ : Number(place) - 1] ?? ''),
  );
});

function isKnown(text: string): boolean {
  const keys = [...keysOf(text)];
  return keys.length > 0 && keys.every((key) => Object.hasOwn(chinese, key));
}

/** What a message is translated by: itself, or what is said of its parameter, or each of its sentences. */
function* keysOf(text: string): Generator<string> {
  const of = /^(?<start>Parameter|Query parameter) '[^']+' (?<rest>.+)$/s.exec(text)?.groups;
  if (Object.hasOwn(chinese, text)) yield text;
  else if (of?.['rest'] !== undefined) {
    yield `${of['start']} '{}' {}`;
    yield* keysOf(of['rest']);
  } else if (/; |\. /.test(text)) for (const part of text.split(/; |\. /)) yield* keysOf(part);
  else if (text.endsWith('.')) yield* keysOf(text.slice(0, -1));
  else yield text;
}

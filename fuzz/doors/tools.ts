// Every tool, over every door that makes a call, and what follows a call: its job, its events, its end.
import type { Random } from '../../chaos/random.js';
import { hostileText } from '../grammar/atoms.js';
import { isObject } from '../grammar/json.js';
import { encodeText } from '../grammar/target.js';
import type { Case, Step } from '../requests/case.js';
import type { Inventory, Tool } from '../requests/inventory.js';
import { goodInput, hostileStep, inputOf, keyOf, optionsOf, plainStep, type Key } from './parts.js';

/** What some tools cost is not what is tested here: they get a smaller share. */
const dear = /report|register_mcp|import/;

function pickTool({ tools }: Inventory, random: Random): Tool {
  const tool = random.pick(tools);
  return dear.test(tool.name) && random.chance(0.6) ? random.pick(tools) : tool;
}

/** Tools for administrators are called by administrators, mostly. */
function callerOf(tool: Tool, random: Random): Key {
  return /register|import_documents/.test(tool.name) && random.chance(0.7) ? 'admin' : keyOf(random);
}

function queryOf(input: unknown): string {
  return Object.entries(isObject(input) ? input : {})
    .map(([name, value]) => `${encodeText(name)}=${encodeText(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))}`)
    .join('&')
    .slice(0, 12_000);
}

export function toolCase(inventory: Inventory, random: Random): Case {
  const tool = pickTool(inventory, random);
  const key = callerOf(tool, random);
  const json = inputOf(tool, random);
  const options = Object.entries(optionsOf(random)).map(([name, value]) => `${name}=${encodeText(String(value))}`);
  const query = options.length > 0 ? `?${options.join('&')}` : '';
  const spelled = random.chance(0.05) ? encodeText(`${tool.name}@${random.pick(['1', '^1', '2.0.0', '*', 'x'])}`) : tool.name;
  const send = (door: string, request: Omit<Parameters<typeof hostileStep>[0], 'key'>): Case => ({
    door,
    steps: [hostileStep({ key, ...request }, random)],
  });
  switch (random.integer(0, 8)) {
    case 0:
    case 1:
      return send('POST /tools/{name}', { method: 'POST', target: `/tools/${spelled}${query}`, json });
    case 2:
      return send('POST /tools/{name} as a stream', {
        method: 'POST',
        target: `/tools/${spelled}${query}`,
        json,
        headers: [['accept', 'text/event-stream']],
      });
    case 3:
      return send('POST /tools/{name}/sse', { method: 'POST', target: `/tools/${spelled}/sse${query}`, json });
    case 4:
      return send('GET /tools/{name}/sse', {
        method: 'GET',
        target: `/tools/${spelled}/sse?${[queryOf(json), ...options].join('&')}`,
        headers: [['accept', 'text/event-stream']],
      });
    case 5:
      return send('POST /tools/call', {
        method: 'POST',
        target: '/tools/call',
        json: { name: tool.name, arguments: json, options: optionsOf(random) },
      });
    case 6:
      return send('POST /tools/batch', { method: 'POST', target: '/tools/batch', json: { calls: batchOf(inventory, random) } });
    case 7:
      return tool.native ? send('native routes', { method: 'POST', target: tool.native, json }) : jobCase(tool, key, random);
    default:
      return jobCase(tool, key, random);
  }
}

function batchOf(inventory: Inventory, random: Random): unknown {
  if (random.chance(0.05)) return hostileText(random);
  return Array.from({ length: random.pick([0, 1, 2, 3, 5, 50, 51]) }, (_, index) => {
    const tool = random.pick(inventory.tools);
    return {
      id: random.pick<unknown>([index, `c${index}`, 'same', null, hostileText(random)]),
      name: tool.name,
      arguments: inputOf(tool, random),
      options: optionsOf(random),
    };
  });
}

/** A call in the background, and a request about its job. */
function jobCase(tool: Tool, key: Key, random: Random): Case {
  const start: Step = {
    ...plainStep({
      method: 'POST',
      target: `/tools/${tool.name}?enable_cache=false`,
      key,
      json: goodInput(tool, random),
      headers: [['prefer', 'respond-async']],
    }),
    take: { job: 'job_id', trace: 'trace_id' },
  };
  const follower = random.chance(0.85) ? key : keyOf(random);
  const [door, method, target] = random.pick([
    ['GET /jobs/{id}', 'GET', `/jobs/{{job}}?wait=${random.pick(['1', '0', '2', 'x'])}`],
    [
      'GET /jobs/{id}/events',
      'GET',
      `/jobs/{{job}}/events${random.pick(['', '?lastEventId=evt_1', '?lastEventId=%00', '?lastEventId=0-1'])}`,
    ],
    ['DELETE /jobs/{id}', 'DELETE', '/jobs/{{job}}'],
    ['GET /traces/{id}', 'GET', '/traces/{{trace}}'],
    ['GET /jobs', 'GET', `/jobs?tool=${tool.name}&limit=3`],
  ] as const);
  const about = hostileStep(
    { method, target, key: follower, headers: target.includes('/events') ? [['accept', 'text/event-stream']] : [] },
    random,
  );
  return { door, steps: [start, about, ...(random.chance(0.3) ? [plainStep({ method: 'DELETE', target: '/jobs/{{job}}', key })] : [])] };
}

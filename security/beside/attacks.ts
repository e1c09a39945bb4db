// What the audits did to others, each for as long as it is let: by one tenant, from a process of its own, without waiting when it is refused.
import { randomUUID } from 'node:crypto';
import { announce, contractOf } from '../world/served-tools.js';

/** With what an attacker comes. All are credentials of a tenant of its own. */
export interface Attacker {
  readonly url: string;
  /** Of a user, with the rights to read and to call. */
  readonly user: string;
  /** Of a worker whose tools are approved as they are announced. */
  readonly approving: string;
  /** Of a worker whose tools wait for a person. */
  readonly wishing: string;
}

/** Sends once. @returns the status */
type Attack = (attacker: Attacker) => Promise<number>;

const connections = 8;
const metrics = { height_cm: 175, weight_kg: 70, age: 30, gender: 'male', activity_level: 'moderate' };
const newName = (): string => `b_${randomUUID().replaceAll('-', '').slice(0, 20)}`;

/** 51 KB, as large as the audit's. */
function large(more: object = {}) {
  const fields = Array.from({ length: 480 }, (_, n) => [
    `p${n}`,
    { type: 'string', description: `A parameter of many, of which this is number ${n}.` },
  ]);
  return contractOf(newName(), { input: { type: 'object', properties: Object.fromEntries(fields), additionalProperties: false }, ...more });
}

async function send(line: string, { url, user }: Attacker, { body, headers }: { body?: string; headers?: object } = {}): Promise<number> {
  const [method = '', path = ''] = line.split(' ');
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...(user !== '' && { authorization: `Bearer ${user}` }),
      ...(body !== undefined && { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }),
      ...headers,
    },
    ...(body !== undefined && { body }),
  });
  await answer.arrayBuffer();
  return answer.status;
}

const mcp = (count: number, method: string): string => {
  const messages = Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method, params: {} }));
  return JSON.stringify(count === 1 ? messages[0] : messages);
};
const lists = mcp(1, 'tools/list');
const batch = mcp(100, 'tools/list');
const wrong = JSON.stringify({ ...metrics, height_cm: 'tall' });
const lines = JSON.stringify({
  calls: Array.from({ length: 1_000 }, (_, id) => ({
    id: String(id),
    name: 'calc_metrics',
    arguments: { ...metrics, age: 18 + (id % 60) },
  })),
});
const guest = JSON.stringify({ message: 'x'.repeat(4_000_000) });
const report = JSON.stringify({
  title: 'x',
  format: 'docx',
  content: Array.from({ length: 49_000 }, (_, n) => String.fromCodePoint(0x4e00 + (n % 9_000))).join(''),
});
const noUser = (attacker: Attacker): Attacker => ({ ...attacker, user: '' });

/** By what is done. The finding of the second audit stands before it. */
export const attacks: Readonly<Record<string, Attack>> = {
  'F1: ten contracts of 51 KB at a time, approved': ({ url, approving }) =>
    announce({ url, key: approving, tools: Array.from({ length: 10 }, () => large()) }),
  'F1b: ten contracts of 51 KB at a time, each refused': ({ url, wishing }) => {
    const example = { examples: [{ input: { p0: 5 }, output: { said: 'a' } }] };
    return announce({ url, key: wishing, tools: Array.from({ length: 10 }, () => large(example)) });
  },
  'F3: `GET /openapi.json`': (attacker) => send('GET /openapi.json', attacker),
  'F3: `tools/list` of MCP': (attacker) => send('POST /mcp', attacker, { body: lists }),
  'F3: a hundred `tools/list` in a message': (attacker) => send('POST /mcp', attacker, { body: batch }),
  'F3: calls that break the contract': (attacker) => send('POST /tools/calc_metrics', attacker, { body: wrong }),
  'F3: calls of tools that do not exist': (attacker) => send('POST /tools/no_such_tool', attacker, { body: wrong }),
  'F3: guests with 4 MB and no credential': (attacker) => send('POST /chat/v5/guest/stream', noUser(attacker), { body: guest }),
  'F5: reports of 9,000 different characters': (attacker) => send('POST /tools/generate_report', attacker, { body: report }),
  'F6: a tool in a new domain, and away': ({ url, approving }) =>
    announce({ url, key: approving, domain: newName().replaceAll('_', '-').slice(0, 18), tools: [contractOf(newName())] }),
  'F7: requests without a credential that name a trace': (attacker) =>
    send('GET /skills', noUser(attacker), { headers: { traceparent: `00-${randomUUID().replaceAll('-', '')}-${'1'.repeat(16)}-01` } }),
  'Calls of a tool': (attacker) =>
    send('POST /tools/calc_metrics', attacker, { body: JSON.stringify({ ...metrics, weight_kg: 40 + Math.random() * 100 }) }),
  'A thousand lines in a batch': (attacker) => send('POST /batches', attacker, { body: lines }),
};

/** Attacks by some connections at once until it is stopped. @returns how many requests had each status, 0 for a connection that was cut */
export async function attackUntil(stop: AbortSignal, attack: Attack, attacker: Attacker): Promise<Readonly<Record<string, number>>> {
  const statuses: Record<string, number> = {};
  const one = async (): Promise<void> => {
    while (!stop.aborted) {
      const status = await attack(attacker).catch(() => 0);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, one));
  return statuses;
}

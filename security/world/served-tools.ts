// Tools as workers of the victim's tenant announce them, and what became of them.
import { z } from 'zod';
import { RawWorker, type System } from '#lib/testing';
import { as, served } from '../expect.js';
import type { Client } from './client.js';

/** What keys of workers have: the one approves what it announces, the other only wishes. */
const approving = { userId: null, scopes: ['tools:serve'], approvesTools: true };
export const wishing = { userId: null, scopes: ['tools:serve'], approvesTools: false };

const parameter = { type: 'string', description: 'Any text.' };
export const contractOf = (name: string, more: object = {}) => ({
  name,
  version: '1.0.0',
  title: 'Echo',
  description: 'Say what a worker of the tenant says.',
  input: { type: 'object', properties: { text: { ...parameter, sensitive: true } }, additionalProperties: false },
  output: { type: 'object', properties: { said: { type: 'string' } }, required: ['said'], additionalProperties: false },
  effect: 'read',
  timeout_ms: 20_000,
  examples: [{ input: {}, output: { said: 'a' } }],
  ...more,
});

let used = 0;
export const newName = (): string => `served_${process.pid}_${++used}`;

const list = z.looseObject({
  tools: z.array(
    z.looseObject({
      name: z.string(),
      version: z.string(),
      state: z.string(),
      fingerprint: z.string(),
      approved_by: z.string().nullable(),
    }),
  ),
});

export async function rowsOf({ admin }: { readonly admin: Client }, tenant: string): Promise<z.output<typeof list>['tools']> {
  return as(served(await admin.send(`GET /served-tools?tenant_id=${tenant}`)), list).tools;
}

interface Announcement {
  readonly url: string;
  readonly key: string;
  readonly tools: readonly object[];
  readonly domain?: string;
}

/** Announces, and leaves at once. @returns the status */
export async function announce({ url, key, tools, domain = 'sales' }: Announcement): Promise<number> {
  const leaving = new AbortController();
  const answer = await fetch(`${url}/workers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ protocol: 1, domain, tools }),
    signal: leaving.signal,
  });
  await answer.body?.getReader().read();
  leaving.abort();
  return answer.status;
}

/** A tool that is approved and served, with its name. */
export async function servedTool({ system }: { readonly system: System }, more: object = {}) {
  const [name, key] = [newName(), await system.tenant.key(approving)];
  const worker = await RawWorker.connect({ url: system.gateway.url, key, tools: [contractOf(name, more)] });
  return { name, key, worker };
}

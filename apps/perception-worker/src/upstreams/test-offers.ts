// Servers of MCP that say exactly what a test gives them, and what the worker makes of their resources and prompts.
import { expect } from '@jest/globals';
import { askOutsideServer, listOutsideOffers, outsideOffers, validateInput } from '#lib/contracts';
import { runTool } from '#lib/handlers';
import { handleAskOutsideServer } from '../tools/ask-outside-server.js';
import { handleListOutsideOffers } from '../tools/list-outside-offers.js';
import { serveRaw, type RawAnswers } from './test-raw-server.js';
import { newName, openServices, register, tenantId } from './test-upstreams.js';

type Services = ReturnType<typeof openServices>;

export const greeting = (capabilities: object) => ({
  protocolVersion: '2025-06-18',
  capabilities: { tools: {}, ...capabilities },
  serverInfo: { name: 'raw', version: '1' },
});
const all = greeting({ resources: {}, prompts: {}, completions: {} });

/** A registered server; it says that it has everything, unless its greeting is another. */
export async function withRaw(services: Services, answers: RawAnswers) {
  const server = await serveRaw({ greeting: all, ...answers });
  const name = newName();
  expect(await register(services, { name, url: server.url })).toMatchObject({ kind: 'done' });
  return { ...server, name };
}

const attempt = (input: unknown, tenant: string) => ({
  jobId: 'j',
  number: 1,
  input,
  caller: { tenantId: tenant, userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' } as const,
  sessionId: null,
  stop: new AbortController().signal,
  onProgress: () => undefined,
});
const own = (server: string) => ({ tenant: tenantId, server, approval: 1 });

export async function askForLists(services: Services, names: readonly string[], tenant = tenantId) {
  return runTool(handleListOutsideOffers, services, attempt(validateInput(listOutsideOffers, { servers: names.map(own) }), tenant));
}

/** The lists of these servers. Throws where the call does not end well. */
export async function listsOf(services: Services, ...names: readonly string[]) {
  const ended = await askForLists(services, names);
  if (ended.kind !== 'done') throw new Error(JSON.stringify(ended));
  return listOutsideOffers.output
    .parse(ended.data)
    .servers.map(({ fault, offers }) => ({ fault, offers: offers && outsideOffers.parse(offers) }));
}

export async function ask(services: Services, name: string, { tenant = tenantId, ...question }: Record<string, unknown>) {
  return runTool(handleAskOutsideServer, services, attempt(validateInput(askOutsideServer, { ...own(name), ...question }), String(tenant)));
}

export const readOf = (of: string) => ({ question: 'resource', of });

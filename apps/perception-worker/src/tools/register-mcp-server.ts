import { setImmediate } from 'node:timers/promises';
import {
  givenQueries,
  hasScope,
  jsonIn,
  offeredNames,
  OutsideToolError,
  outsideName,
  principal,
  readOutsideTool,
  registerMcpServer,
  type GivenQuery,
  type OutsideServer,
} from '#lib/contracts';
import type { z } from 'zod';
import type { DocumentOrder } from '../openapi/openapi-upstream.js';
import { handle } from '../upstreams/services.js';
import { discover } from '../upstreams/discover.js';
import { AddressRefused, urlViolation } from '#lib/platform';
import { TenantIsFull } from '../upstreams/server-store.js';
import { requireMeant, ServerAccount } from '../upstreams/server-account.js';
import { describeUnusable } from '../upstreams/upstream-failure.js';
import { accessOf, accountFault, listingAccess, ownerOf, withAccount } from '../upstreams/with-account.js';

/** Tools of one server that are served, and the bytes of their definitions together. */
const maxTools = { mcp: 1_000, rest: 1_000, openapi: 2_000, sql: 200 } as const;
/** @limit outside servers: bytes of all definitions of a server; the others are left out, and told */
const maxBytes = 4 * 1024 * 1024;
/** For a server to start and to list its tools, in ms, where the registration allows no more. A command may have to be downloaded first. */
const discoverMs = { url: 15_000, stdio: 60_000, openapi: 90_000 } as const;
const longestReason = 300;

export const handleRegisterMcpServer = handle(
  registerMcpServer,
  async (
    {
      name,
      url = null,
      stdio = null,
      kind,
      tenants,
      sealed_headers,
      tools: wanted,
      timeout_ms,
      cache_ttl,
      connection,
      may_ask: mayAsk,
      apps,
      queries: queriesText,
      ...openapi
    },
    { upstreamRules, servers, accounts, caller, signal, network, progress, error },
  ) => {
    const fault =
      kind === 'sql'
        ? databaseFault({ url, stdio, queries: queriesText, connection, ...openapi })
        : placeFault({ url, stdio, kind, queries: queriesText, ...openapi });
    if (fault !== null) throw error('SERVER_UNUSABLE', fault);
    const given = queriesText === null ? null : queriesIn(queriesText);
    if (typeof given === 'string') throw error('SERVER_UNUSABLE', given);
    if (tenants === '*' && !hasScope(caller, 'admin'))
      throw error('SERVER_NOT_ALLOWED', "Only an operator registers a server for all tenants: 'tenants' needs the scope admin");
    if (stdio !== null && tenants === 'own')
      throw error('SERVER_NOT_ALLOWED', 'A command of the worker is the operator\'s, for all tenants: register it with "tenants": "*"');
    if (stdio !== null && connection)
      throw error('SERVER_UNUSABLE', "'connection' is for a server with an address: a command takes no tokens");
    const tenantId = tenants === '*' ? null : caller.tenantId;
    if (tenantId !== null && (await network(async () => servers.isForAll(name))))
      throw error(
        'SERVER_NOT_ALLOWED',
        `'${name}' is a server for all tenants: choose another name. An operator renews it with "tenants": "*", or removes it first`,
      );
    const destination = { tenantId, name, url, stdio, kind, headers: sealed_headers ?? null, connection, mayAsk, apps };
    // A document is no secret of a user's: it is read without an account.
    const own = connection && listingAccess(accessOf(accounts, ownerOf(caller), connection), { isForAll: tenantId === null });
    const found = await network(async () => {
      try {
        const secrets = { headers: servers.headersOf(destination), credentials: servers.credentialsOf(destination) };
        const asked = { ...destination, ...secrets, order: orderOf(openapi), queries: given };
        return await withAccount(own, async (used) => {
          const account = used && kind !== 'openapi' ? new ServerAccount(used) : null;
          if (used && account) requireMeant({ name, url, openapi: null }, used);
          return discover({ ...asked, account }, upstreamRules, {
            signal,
            onConnected: () => progress(50, `Connected to ${name}`),
            withinMs: Math.max(timeout_ms, kind === 'openapi' ? discoverMs.openapi : stdio === null ? discoverMs.url : discoverMs.stdio),
          });
        });
      } catch (thrown) {
        if (thrown instanceof AddressRefused) throw error('SERVER_NOT_ALLOWED', `The server may not be asked: ${thrown.message}`);
        if (signal.aborted) throw thrown;
        const fault = connection && accountFault(name, connection, thrown);
        if (fault) throw error('SERVER_UNUSABLE', fault.message);
        const advice = connection
          ? `. Its list is read with 'headers', or with your own account at ${connection.provider}: connect it first`
          : '';
        throw error('SERVER_UNUSABLE', describeUnusable(url ?? name, thrown) + advice);
      }
    });

    const ofMcp = { may_ask: mayAsk.length > 0, apps: apps.domains.length + apps.permissions.length > 0 };
    const meaningless = found.kind === 'mcp' ? undefined : Object.entries(ofMcp).find(([, isGiven]) => isGiven)?.[0];
    if (meaningless !== undefined)
      throw error('SERVER_UNUSABLE', `'${meaningless}' is for servers of MCP, and this one is of the kind ${found.kind}: leave it out`);
    // The document says where its service is: each call is checked too, and here the administrator learns of it.
    const forbidden = found.source ? urlViolation(new URL(found.source.baseUrl), upstreamRules) : null;
    if (forbidden !== null) throw error('SERVER_NOT_ALLOWED', `The service of the document may not be asked: ${forbidden}`);
    const server = {
      ...destination,
      kind: found.kind,
      timeoutMs: timeout_ms,
      cacheTtlSeconds: cache_ttl ?? null,
      openapi: found.source ?? null,
    };
    const before = await network(async () => servers.find(server, Infinity));
    const names = offeredNames(
      name,
      found.tools.map((tool) => tool.name),
      new Map(before?.tools.map((tool) => [tool.name, tool.offeredAs ?? outsideName(name, tool.name)])),
    );
    const offered = (wanted ? found.tools.filter((tool) => wanted.includes(tool.name)) : found.tools).map((tool) => {
      const offeredAs = names.get(tool.name);
      return { ...tool, ...(offeredAs !== outsideName(name, tool.name) && { offeredAs }) };
    });
    const { kept, rejected } = await checkDefinitions({ ...server, approval: 1 }, offered);
    const missing = (wanted ?? [])
      .filter((tool) => !found.tools.some((one) => one.name === tool) && !found.malformed.some((one) => one.tool === tool))
      .map((tool) => ({ tool, reason: 'the server has no such tool' }));
    const reasons = [...rejected, ...missing, ...found.malformed].map(storable);
    if (kept.length === 0)
      throw error('SERVER_UNUSABLE', `The server has no tool that can be served: ${JSON.stringify(reasons).slice(0, 800)}`);
    const approval = await servers.approve({ ...server, tools: kept, rejected: reasons }, principal(caller)).catch((thrown: unknown) => {
      throw thrown instanceof TenantIsFull ? error('SERVER_NOT_ALLOWED', thrown.message) : thrown;
    });
    const spoken: 'mcp' | 'rest' = found.kind === 'mcp' ? 'mcp' : 'rest';
    return {
      name,
      kind: spoken,
      revision: found.revision,
      approval,
      tools: kept.map((tool) => ({
        name: tool.offeredAs ?? outsideName(name, tool.name),
        tool: tool.name,
        title: tool.title ?? tool.name,
        ...(tool.note !== undefined && { note: tool.note }),
      })),
      rejected: reasons,
      ...(found.warnings && found.warnings.length > 0 && { warnings: [...found.warnings] }),
    };
  },
);

type Asked = z.output<typeof registerMcpServer.input>;

/** Why the parameters say nowhere, or in two ways, where the server is; null where all is well. */
function placeFault({
  url,
  stdio,
  kind,
  document,
  queries,
  ...openapi
}: Pick<Asked, 'kind' | 'queries' | OfOpenApi> & Place): string | null {
  if (queries !== null) return '\'queries\' are for the kind sql alone: give "kind": "sql"';
  if (kind === 'openapi') {
    if ((url === null) === (document === null) || stdio !== null) return "With the kind openapi give either 'url' or 'document'";
    return null;
  }
  const other = Object.entries({ document, ...openapi }).find(([, value]) => value !== null)?.[0];
  if (other !== undefined) return `'${other}' is for the kind openapi alone: give "kind": "openapi"`;
  return (url === null) === (stdio === null) ? "Give either 'url' or 'stdio'" : null;
}

type OfOpenApi = 'document' | 'base_url' | 'include' | 'exclude';

/** The queries, or why the text is none. */
function queriesIn(text: string): readonly GivenQuery[] | string {
  const parsed = givenQueries.safeParse(jsonIn(text));
  if (parsed.success) return parsed.data;
  const [fault] = parsed.error.issues;
  return `Parameter '${['queries', ...(fault?.path ?? [])].join('.')}': ${fault?.message ?? 'it is no JSON'}`;
}

/** The same for a database. */
function databaseFault({ url, queries, ...others }: Pick<Asked, 'queries' | 'connection' | OfOpenApi> & Place): string | null {
  const other = Object.entries(others).find(([, value]) => value !== null)?.[0];
  if (other !== undefined) return `'${other}' is not for the kind sql`;
  if (queries === null) return "With the kind sql give 'queries': a list of { name, description, sql }";
  const place = URL.parse(url ?? '');
  if (!place || !place.protocol.startsWith('postgres')) return "With the kind sql 'url' is postgres://user:password@host:5432/database";
  // The gateway takes it out and seals it. Whoever calls this tool himself has put it into records and logs.
  if (place.username !== '' || place.password !== '')
    return 'A login must not stand here: register the database with POST /mcp/servers, which seals it';
  return null;
}

interface Place {
  readonly url: string | null;
  readonly stdio: string | null;
}

function orderOf({
  document,
  base_url: baseUrl,
  include,
  exclude,
}: Pick<Asked, 'document' | 'base_url' | 'include' | 'exclude'>): DocumentOrder {
  return { document: document ?? undefined, baseUrl, include: include ?? undefined, exclude: exclude ?? undefined };
}

type Kept = OutsideServer['tools'][number];

/** Splits definitions into those that can be served and those that cannot, with the rule that they break. */
async function checkDefinitions(
  server: Omit<OutsideServer, 'tools' | 'rejected'>,
  tools: readonly Kept[],
): Promise<{ kept: Kept[]; rejected: { tool: string; reason: string }[] }> {
  const most = maxTools[server.kind];
  const kept: Kept[] = [];
  const rejected: { tool: string; reason: string }[] = [];
  let bytes = 0;
  for (const tool of tools) {
    // Each takes some milliseconds: between them the other calls of this worker go on.
    await setImmediate();
    try {
      if (kept.length >= most) throw new OutsideToolError(`a server may have at most ${most} tools; name those that are wanted in 'tools'`);
      const { notes } = readOutsideTool(server, tool);
      bytes += JSON.stringify(tool).length;
      if (bytes > maxBytes) throw new OutsideToolError(`the definitions of a server may have at most ${maxBytes} bytes together`);
      kept.push(notes.length > 0 ? { ...tool, note: storableText(notes.join('; ')) } : tool);
    } catch (error) {
      if (!(error instanceof OutsideToolError)) throw error;
      rejected.push({ tool: tool.name.slice(0, 128), reason: error.message });
    }
  }
  return { kept, rejected };
}

function storable({ tool, reason }: { readonly tool: string; readonly reason: string }): { tool: string; reason: string } {
  return { tool: storableText(tool), reason: storableText(reason) };
}

/** What a server wrote, as every store takes it. */
function storableText(text: string): string {
  return text.slice(0, longestReason).replaceAll('\0', '\uFFFD').toWellFormed();
}

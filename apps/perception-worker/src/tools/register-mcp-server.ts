import {
  hasScope,
  outsideContract,
  OutsideToolError,
  outsideName,
  principal,
  registerMcpServer,
  type OutsideServer,
  type OutsideTool,
} from '#lib/contracts';
import { handle } from '../upstreams/services.js';
import { discover } from '../upstreams/discover.js';
import { AddressRefused } from '../upstreams/guarded-fetch.js';
import { TenantIsFull } from '../upstreams/server-store.js';
import { describeUnusable } from '../upstreams/upstream-failure.js';

/** Tools of one server that are served. */
const maxTools = 100;

export const handleRegisterMcpServer = handle(
  registerMcpServer,
  async (
    { name, url = null, stdio = null, kind, tenants, sealed_headers, tools: wanted, timeout_ms, cache_ttl },
    { upstreamRules, servers, caller, signal, network, progress, error },
  ) => {
    if ((url === null) === (stdio === null)) throw error('SERVER_UNUSABLE', "Give either 'url' or 'stdio'");
    if (tenants === '*' && !hasScope(caller, 'admin'))
      throw error('SERVER_NOT_ALLOWED', "Only an operator registers a server for all tenants: 'tenants' needs the scope admin");
    if (stdio !== null && tenants === 'own')
      throw error('SERVER_NOT_ALLOWED', 'A command of the worker is the operator\'s, for all tenants: register it with "tenants": "*"');
    const tenantId = tenants === '*' ? null : caller.tenantId;
    if (tenantId !== null && (await network(async () => servers.isForAll(name))))
      throw error(
        'SERVER_NOT_ALLOWED',
        `'${name}' is a server for all tenants: choose another name. An operator renews it with "tenants": "*", or removes it first`,
      );
    const destination = { tenantId, name, url, stdio, kind, headers: sealed_headers ?? null };
    const found = await network(async () => {
      try {
        return await discover({ ...destination, headers: servers.headersOf(destination) }, upstreamRules, {
          signal,
          onConnected: () => progress(50, `Connected to ${name}`),
        });
      } catch (thrown) {
        if (thrown instanceof AddressRefused) throw error('SERVER_NOT_ALLOWED', `The server may not be asked: ${thrown.message}`);
        if (signal.aborted) throw thrown;
        throw error('SERVER_UNUSABLE', describeUnusable(url ?? name, thrown));
      }
    });

    const server = { ...destination, kind: found.kind, timeoutMs: timeout_ms, cacheTtlSeconds: cache_ttl ?? null };
    const offered = wanted ? found.tools.filter((tool) => wanted.includes(tool.name)) : found.tools;
    const { kept, rejected } = checkDefinitions({ ...server, approval: 1 }, offered);
    const missing = (wanted ?? [])
      .filter((tool) => !found.tools.some((one) => one.name === tool))
      .map((tool) => ({ tool, reason: 'the server has no such tool' }));
    const reasons = [...rejected, ...missing, ...found.malformed];
    if (kept.length === 0)
      throw error('SERVER_UNUSABLE', `The server has no tool that can be served: ${JSON.stringify(reasons).slice(0, 800)}`);
    const approval = await servers.approve({ ...server, tools: kept }, principal(caller)).catch((thrown: unknown) => {
      throw thrown instanceof TenantIsFull ? error('SERVER_NOT_ALLOWED', thrown.message) : thrown;
    });
    return {
      name,
      kind: found.kind,
      revision: found.revision,
      approval,
      tools: kept.map((tool) => ({ name: outsideName(name, tool.name), tool: tool.name, title: tool.title ?? tool.name })),
      rejected: reasons,
    };
  },
);

/** Splits definitions into those that can be served and those that cannot, with the rule that they break. */
function checkDefinitions(
  server: Omit<OutsideServer, 'tools'>,
  tools: readonly OutsideTool[],
): { kept: OutsideTool[]; rejected: { tool: string; reason: string }[] } {
  const kept: OutsideTool[] = [];
  const rejected: { tool: string; reason: string }[] = [];
  const reject = (tool: OutsideTool, reason: string) => rejected.push({ tool: tool.name.slice(0, 128), reason });
  for (const tool of tools) {
    if (kept.length >= maxTools) reject(tool, `a server may have at most ${maxTools} tools`);
    else if (kept.some(({ name }) => name.toLowerCase() === tool.name.toLowerCase())) reject(tool, 'another of its tools has this name');
    else
      try {
        outsideContract(server, tool);
        kept.push(tool);
      } catch (error) {
        if (!(error instanceof OutsideToolError)) throw error;
        reject(tool, error.message);
      }
  }
  return { kept, rejected };
}

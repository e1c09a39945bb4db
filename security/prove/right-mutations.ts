import type { Mutation } from './mutation.js';

/** Mistakes about what belongs to a tenant, and about what a key may give or ask for. */
export const rightMutations: readonly Mutation[] = [
  {
    name: 'what a tenant registers outside serves every tenant',
    file: 'libs/transport/src/serving/outside-tools.ts',
    text: 'const ofAll = (byTenant.get(null) ?? []).flatMap(',
    becomes: 'const ofAll = [...byTenant.values()].flat().flatMap(',
    foundBy: 'A tool of an outside server of one tenant',
  },
  {
    name: 'the administrator of a tenant sees the servers of all',
    file: 'apps/gateway/src/outside/servers.controller.ts',
    text: "this.#servers.all(hasScope(caller, 'admin') ? undefined : caller.tenantId)",
    becomes: "this.#servers.all(hasScope(caller, 'admin') ? caller.tenantId : undefined)",
    foundBy: 'An outside server of one tenant is neither listed',
  },
  {
    name: 'a tenant registers a server for all',
    file: 'apps/perception-worker/src/tools/register-mcp-server.ts',
    text: "if (tenants === '*' && !hasScope(caller, 'admin'))",
    becomes: "if (tenants === '*' && caller.scopes.length === 0)",
    foundBy: 'A server for all tenants, or a command',
  },
  {
    name: 'who administers one tenant administers any',
    file: 'apps/gateway/src/callers/tenant-rights.ts',
    text: "return tenantId === caller.tenantId || hasScope(caller, 'admin');",
    becomes: "return tenantId !== '' || hasScope(caller, 'admin');",
    foundBy: 'Keys of one tenant are neither listed',
  },
  {
    name: 'the administrator of a tenant reads what all have done',
    file: 'apps/gateway/src/callers/tenant-rights.ts',
    text: "const needed = scope === 'tenant' ? 'tenant:admin' : 'admin';",
    becomes: "const needed = scope === 'tenant' ? 'admin' : 'tenant:admin';",
    foundBy: 'The audit, history and sums of one tenant',
  },
  {
    name: 'a key gives what it has not',
    file: 'apps/gateway/src/callers/key-grant.ts',
    text: 'if (lacking >= 0) {',
    becomes: 'if (lacking > grant.scopes.length) {',
    foundBy: 'A key makes no key with a scope',
  },
  {
    name: 'a key for some tools makes one for all',
    file: 'apps/gateway/src/callers/key-grant.ts',
    text: 'if (tools) throw',
    becomes: 'if (tools && turnId !== undefined) throw',
    foundBy: 'A key for some tools alone makes no key',
  },
  {
    name: 'a token has whatever its issuer writes',
    file: 'apps/gateway/src/callers/tokens.ts',
    text: 'if (!scope || hasScope({ scopes: this.#most }, scope)) return true;',
    becomes: "if (!scope || scope !== 'act-as') return true;",
    foundBy: 'A token gets no scope of an operator',
  },
  {
    name: 'a route forgets its scope',
    file: 'apps/gateway/src/operations/settings.controller.ts',
    text: "access: 'admin',",
    becomes: "access: 'caller',",
    foundBy: 'GET /admin/settings with every scope but the one',
  },
  {
    name: 'the further scopes of a tool are not asked for',
    file: 'apps/gateway/src/calls/authorise.ts',
    text: "'tools:read' : 'tools:write', ...(contract.scopes ?? [])];",
    becomes: "'tools:read' : 'tools:write', ...(contract.scopes ?? []).slice(1)];",
    foundBy: 'Each tool is refused to a key with every scope but one',
  },
  {
    name: 'policies are not looked at',
    file: 'apps/gateway/src/rules/call-rules.ts',
    text: 'this.#parts.policies.of(caller.tenantId)',
    becomes: "this.#parts.policies.of('')",
    foundBy: 'A policy of one tenant is felt by no other',
  },
  {
    name: 'a link decides for any tenant',
    file: 'apps/gateway/src/inputs/decision-links.ts',
    text: 'if (!isOurs || rest.length > 0) return null;',
    becomes: 'if (rest.length > 0) return null;',
    foundBy: 'A link of a webhook that was forged decides nothing',
  },
];

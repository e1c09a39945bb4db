import { hash } from 'node:crypto';
import type { ToolContract } from '../define-tool.js';
import type { Caller } from '../scopes.js';

/**
 * Canonical JSON (RFC 8785): keys sorted by UTF-16 code units, numbers and strings as ECMAScript serialises them. Values that JSON
 * cannot hold (undefined, functions) are left out, as `JSON.stringify` does.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}

/** SHA-256 of the canonical JSON, in hex. Different values have different canonical forms, so no separator is needed between parts. */
export function fingerprint(value: unknown): string {
  return hash('sha256', canonicalJson(value), 'hex');
}

/**
 * A fingerprint of what was asked: tool, version, all parameters, and the session for tools with `perSession`. An idempotency key that
 * is used again must have the same one. The caller is not part of it.
 */
export function inputFingerprint(contract: ToolContract, input: unknown, sessionId: string | null = null): string {
  return fingerprint([contract.name, contract.version, input, ...(contract.perSession ? [sessionId] : [])]);
}

/**
 * The key by which calls share a cache entry or an execution: tool, version, who may share, key parameters (C-32), and the session for tools
 * with `perSession`. `debug`, `_trace_id` and options are never part of it.
 */
export function invocationKey(
  contract: ToolContract,
  input: Readonly<Record<string, unknown>>,
  { caller, sessionId }: { readonly caller: Caller; readonly sessionId: string | null },
): string {
  const keyParams = contract.cache?.keyParams ?? contract.singleFlight?.keyParams;
  const params = keyParams ? Object.fromEntries(keyParams.map((name) => [name, input[name]])) : input;
  const session = contract.perSession ? [sessionId] : [];
  return fingerprint([contract.name, contract.version, cacheOwner(contract, caller), params, ...session]);
}

function cacheOwner(contract: ToolContract, caller: Caller): readonly (string | null)[] {
  switch (contract.cache?.scope ?? 'user') {
    case 'public':
      return [];
    case 'tenant':
      return [caller.tenantId];
    case 'user':
      return caller.userId === null ? [caller.tenantId, null, caller.credentialId] : [caller.tenantId, caller.userId];
  }
}

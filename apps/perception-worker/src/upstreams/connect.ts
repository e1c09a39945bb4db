import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { OutsideKind, OutsideServer } from '#lib/contracts';
import { urlViolation, type AddressRules } from './address-rules.js';
import { AddressRefused, guardedFetch, type GuardedFetch } from './guarded-fetch.js';
import { McpUpstream } from './mcp-upstream.js';
import { RestUpstream } from './rest-upstream.js';
import type { Upstream } from './upstream.js';
import { httpFailure } from './upstream-failure.js';

/** Commands that the operator lets this worker start, by the name that a registration uses. */
export type StdioCommands = Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>>;

export interface ConnectRules extends AddressRules {
  readonly commands: StdioCommands;
}

export interface Destination extends Pick<OutsideServer, 'url' | 'stdio'> {
  readonly kind: OutsideKind | 'auto';
  readonly headers: Readonly<Record<string, string>>;
}

/** Largest message of a server that runs as a child process. */
const maxStdioMessageBytes = 4 * 1024 * 1024;

/**
 * Connects to an outside server. With the kind `auto` MCP is tried first, then REST (C-80).
 * @throws AddressRefused if the rules forbid it, else the error of the connection
 */
export async function connectUpstream(to: Destination, rules: ConnectRules, signal: AbortSignal): Promise<Upstream> {
  if (to.stdio !== null) {
    const known = Object.hasOwn(rules.commands, to.stdio) ? rules.commands[to.stdio] : undefined;
    if (!known) throw new AddressRefused(`'${to.stdio}' is none of the commands in UPSTREAM_COMMANDS`);
    const { command, args } = known;
    return McpUpstream.connect(
      new StdioClientTransport({ command, args: [...args], stderr: 'ignore', maxBufferSize: maxStdioMessageBytes }),
      signal,
    );
  }
  if (to.url === null) throw new AddressRefused('neither an address nor a command was given');
  const url = new URL(to.url);
  const fault = urlViolation(url, rules);
  if (fault) throw new AddressRefused(fault);
  const fetch = guardedFetch(rules, { home: url, headers: to.headers });
  if (to.kind === 'rest') return new RestUpstream(to.url, fetch);
  try {
    return await McpUpstream.connect(new StreamableHTTPClientTransport(url, { fetch: failingAtLimits(fetch) }), signal);
  } catch (error) {
    if (to.kind === 'mcp' || signal.aborted) throw error;
    // Only a server whose list of tools has the REST shape counts as REST. Otherwise the error of MCP says more.
    const rest = new RestUpstream(to.url, fetch);
    await rest.list(signal).catch(() => {
      throw error;
    });
    return rest;
  }
}

/** The client of MCP forgets the headers of a refusal. So a refusal by rate is a Failure here, with the time that the server asked for. */
function failingAtLimits(fetch: GuardedFetch): GuardedFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.status !== 429) return response;
    await response.body?.cancel();
    throw httpFailure('The server', response.status, { retryAfter: response.headers.get('retry-after') });
  };
}

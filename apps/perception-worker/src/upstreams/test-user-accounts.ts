// Users with accounts at a provider, and servers that know them by their tokens.
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { afterAll } from '@jest/globals';
import { outsideContract, outsideServer, validateInput, type ConnectionNeed } from '#lib/contracts';
import { runTool, type AskedConnection, type AttemptResult, type StepRecords } from '#lib/handlers';
import { serve } from '../test-server.js';
import { outsideHandler } from './outside-handler.js';
import { database, tenantId, type openServices } from './test-upstreams.js';

type Services = ReturnType<typeof openServices>;

/** What a provider does when it is asked for other tokens. */
type Mood = 'fine' | 'refusing' | 'failing';

const caller = (userId: string) => ({ tenantId, userId, tier: 'pro', scopes: [], credentialId: 'k' }) as const;
const ownerOf = (userId: string) => `${tenantId}/${userId}`;

/** A provider with an OAuth server that renews tokens, and the tokens that are good. */
export async function withProvider({ ofAccounts }: Services, resource: string | null = null) {
  const name = `p${randomBytes(4).toString('hex')}`;
  /** Users by the tokens of theirs that are good. */
  const live = new Map<string, string>();
  /** Every token that there ever was. */
  const given: string[] = [];
  const state: { mood: Mood; renewed: number } = { mood: 'fine', renewed: 0 };
  const tokenFor = (user: string): string => {
    const token = `token-of-${user}-${randomBytes(9).toString('hex')}`;
    given.push(token);
    live.set(token, user);
    return token;
  };
  const server = await serve((_request, response, body) => {
    state.renewed += 1;
    response.setHeader('content-type', 'application/json');
    if (state.mood === 'failing') return void response.writeHead(503).end('{}');
    if (state.mood === 'refusing') return void response.writeHead(400).end('{"error":"invalid_grant"}');
    const user = new URLSearchParams(body).get('refresh_token')?.split(':')[1] ?? '';
    response.end(JSON.stringify({ access_token: tokenFor(user), token_type: 'bearer', expires_in: 3_600 }));
  });
  const known = {
    issuer: server.url.origin,
    isNamed: true,
    sendsIssuer: false,
    authorizationEndpoint: `${server.url.origin}/auth`,
    tokenEndpoint: `${server.url.origin}/token`,
    revocationEndpoint: null,
    clientId: 'invoq',
    client: 'registered' as const,
    authentication: 'none' as const,
    resource,
    scopes: [],
    scopeSeparator: ' ' as const,
    parameters: {},
  };
  const config = { issuer: server.url.origin, client_id: 'invoq' };
  await ofAccounts.providers.put(ownerOf('admin'), { tenantId, name }, { config, server: known, clientSecret: null });
  return {
    name,
    live,
    given,
    state,
    /** Says for which rights servers may ask, null for nothing of it, and what its tokens are for. */
    allow: async ({ ofAccounts: { providers } }: Services, more: readonly string[] | null, at: string | null = resource): Promise<void> => {
      const changed = {
        config: { ...config, ...(more && { more_scopes: [...more] }) },
        server: { ...known, resource: at },
        clientSecret: null,
      };
      known.resource = at;
      await providers.put(ownerOf('admin'), { tenantId, name }, changed);
    },
    /** Connects an account of this user. */
    connect: async (user: string, scopes: readonly string[] = []): Promise<string> => {
      const token = tokenFor(user);
      const tokens = { access: token, refresh: `refresh:${user}`, expiresAt: null, scopes: null };
      await ofAccounts.connections.connect({ tenantId, owner: ownerOf(user), provider: name }, { tokens, server: known, scopes });
      return token;
    },
    disconnect: async (user: string): Promise<void> => {
      await database.connection.deleteMany({ where: { tenantId, owner: ownerOf(user), provider: name } });
    },
    stateOf: async (user: string) =>
      (await database.connection.findFirst({ where: { tenantId, owner: ownerOf(user), provider: name } }))?.state,
    remove: async () => ofAccounts.providers.remove(ownerOf('admin'), { tenantId, name }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

export type TestProvider = Awaited<ReturnType<typeof withProvider>>;

export function withoutProvidersAfterwards(): void {
  afterAll(async () => database.provider.deleteMany({ where: { tenantId } }).then(() => undefined));
}

/** Calls a tool of a server for a user. @returns how it ended, and what the user was asked to connect */
export async function callAs(
  services: Services,
  user: string,
  {
    server,
    tool,
    input = {},
    steps,
  }: { readonly server: string; readonly tool: string; readonly input?: object; readonly steps?: StepRecords },
): Promise<{ readonly result: AttemptResult; readonly asked: readonly AskedConnection[]; readonly told: readonly string[] }> {
  const approved = outsideServer.parse(await database.mcpServer.findUniqueOrThrow({ where: { id: `${tenantId}/${server}` } }));
  const definition = approved.tools.find(({ name }) => name === tool);
  if (!definition) throw new Error(`there is no ${tool}`);
  const contract = outsideContract(approved, definition);
  const asked: AskedConnection[] = [];
  const told: string[] = [];
  const { provider, scopes = [] }: ConnectionNeed = contract.connection ?? { provider: '' };
  const need = { tenantId, owner: ownerOf(user), provider, scopes };
  const result = await runTool(outsideHandler(contract), services, {
    jobId: randomBytes(8).toString('hex'),
    number: 1,
    input: validateInput(contract, input),
    caller: caller(user),
    sessionId: null,
    stop: new AbortController().signal,
    onProgress: (_percent, message) => void told.push(message),
    onLog: (_level, message) => void told.push(message),
    account: { access: async (refused, more) => services.accounts.access(need, refused, more), ask: async (one) => void asked.push(one) },
    ...(steps && { steps }),
    debug: true,
  });
  return { result, asked, told };
}

interface Request {
  readonly method: string;
  readonly user: string | undefined;
  readonly session: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

interface UsersState {
  refusesAll: boolean;
  leaveTo: string;
  /** Fires when a call has arrived, before it is answered. */
  onCall: (user: string) => Promise<void>;
  tools: string[];
  description: string;
  echoes: boolean;
  /** Every call is answered with 500, and what it was sent. */
  fails: boolean;
  /** The challenge with which a call is refused for want of rights; null where its token has them. */
  wants: ((token: string) => string | null) | null;
}

/** A server of MCP with sessions, each of which is one user's: it answers everybody else, and every unknown token, with 401. */
export async function serveUsers(live: ReadonlyMap<string, string>) {
  const requests: Request[] = [];
  const sessions = new Map<string, string>();
  const strays: Request[] = [];
  const state: UsersState = {
    refusesAll: false,
    leaveTo: '',
    onCall: async () => undefined,
    tools: ['whoami'],
    description: 'Says who asks.',
    echoes: false,
    fails: false,
    wants: null,
  };
  const server = await serve((request, response, body) => {
    void (async () => {
      const { headers } = request;
      const token = headers.authorization?.replace(/^Bearer /, '') ?? '';
      const id = headers['mcp-session-id'];
      const session = typeof id === 'string' ? id : undefined;
      const user = live.get(token);
      const message = body === '' ? {} : JSON.parse(body);
      const seen = { method: message.method ?? request.method, user, session, headers };
      requests.push(seen);
      if (state.leaveTo !== '') return void response.writeHead(307, { location: state.leaveTo }).end();
      if (user === undefined || state.refusesAll) return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
      if (state.fails && message.method !== 'initialize' && message.id !== undefined)
        return void response.writeHead(500).end(JSON.stringify({ sent: headers }));
      if (session !== undefined && sessions.get(session) !== user) {
        strays.push(seen);
        return void response.writeHead(404).end();
      }
      const wanted = message.method === 'tools/call' ? state.wants?.(token) : null;
      if (typeof wanted === 'string') return void response.writeHead(403, { 'www-authenticate': wanted }).end();
      if (request.method === 'DELETE') return void (sessions.delete(session ?? ''), response.writeHead(200).end());
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const answer = (result: object): void => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
      };
      switch (message.method) {
        case 'initialize': {
          const made = randomBytes(8).toString('hex');
          sessions.set(made, user);
          response.setHeader('mcp-session-id', made);
          const capabilities = { tools: {}, resources: {} };
          return answer({ protocolVersion: '2025-06-18', capabilities, serverInfo: { name: 'users', version: '1' } });
        }
        case 'tools/list':
          return answer({
            tools: state.tools.map((name) => ({ name, description: state.description, inputSchema: { type: 'object', properties: {} } })),
          });
        case 'resources/list':
          return answer({ resources: [{ uri: `users://${user}`, name: user }] });
        case 'resources/templates/list':
          return answer({ resourceTemplates: [] });
        case 'resources/read':
          return answer({ contents: [{ uri: `users://${user}`, text: `of ${user}${state.echoes ? ` by ${token}` : ''}` }] });
        case 'tools/call': {
          await state.onCall(user);
          const text = `you are ${user}${state.echoes ? ` with ${token}` : ''}`;
          return answer({ content: [{ type: 'text', text }] });
        }
        default:
          if (message.id === undefined) return void response.writeHead(202).end();
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32_601, message: 'no such method' } }));
      }
    })();
  });
  return {
    url: new URL('/mcp', server.url).href,
    requests,
    sessions,
    strays,
    state,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

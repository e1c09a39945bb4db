// The product as the suite's client: the server of each scenario is registered by an administrator, who has connected an account where it asks
// for one, and all its tools are called at /mcp by the official client.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { Client, StreamableHTTPClientTransport, type Tool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { connectionAddress } from '#lib/contracts';
import { CookieBrowser, HttpCaller, Tenant } from '#lib/testing';
import { shownServer, startOutsideSystem, type OutsideSystem } from '../outside-system.js';

const order = z.object({
  url: z.string(),
  scenario: z.string(),
  context: z.looseObject({
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
    toolCalls: z.array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()) })).optional(),
  }),
});
type Order = z.output<typeof order>;
const scopes = ['tenant:admin', 'tools:read', 'tools:write'] as const;
const name = 'suite';
/** Where our document about our client is: servers take one that is at an address with TLS. The test goes to the gateway instead. */
const publicUrl = 'https://invoq.example';

/** The client that the suite expects where a server takes documents about clients: its own. The administrator names it, in the place of ours. */
const documentOfSuite = 'https://conformance-test.local/client-metadata.json';

export class ProductAsClient implements AsyncDisposable {
  readonly #outside: OutsideSystem;
  readonly #server: Server;
  /** Scenarios run one after another: the suite starts all of them at once. */
  #before: Promise<unknown> = Promise.resolve();

  private constructor(outside: OutsideSystem) {
    this.#outside = outside;
    this.#server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      void (async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
        const given = order.parse(JSON.parse(Buffer.concat(chunks).toString()));
        const running = this.#before.then(() => this.#run(given));
        this.#before = running.catch(() => undefined);
        return running;
      })().then(
        (told) => response.end(told.join('\n')),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
    });
  }

  static async start(): Promise<ProductAsClient> {
    const product = new ProductAsClient(await startOutsideSystem({ gatewayEnv: { PUBLIC_URL: publicUrl } }));
    product.#server.listen(0, '127.0.0.1');
    await once(product.#server, 'listening');
    return product;
  }

  /** What the suite starts. */
  get command(): string {
    const address = this.#server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    return `${process.execPath} test/e2e/mcp-suites/client-command.mjs http://127.0.0.1:${port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#outside[Symbol.asyncDispose]();
  }

  async #run({ url, scenario, context }: Order): Promise<readonly string[]> {
    await using tenant = await Tenant.create(this.#outside.databaseUrl);
    const gateway = this.#outside.system.gateway.url;
    const key = await tenant.key({ userId: 'boss', scopes });
    const admin = new HttpCaller(gateway, key);
    const told: string[] = [];
    const needsAccount = scenario.startsWith('auth/');
    const connect = async (): Promise<void> =>
      void told.push(
        ...(await this.#connect(admin, url, scenario === 'auth/basic-cimd' ? { ...context, client_id: documentOfSuite } : context)),
      );
    if (needsAccount) await connect();
    const register = async (): Promise<boolean> => {
      const made = await admin.post('/mcp/servers', { name, url, ...(needsAccount && { connection: { provider: name } }) });
      const isMade = made.status === 201;
      told.push(isMade ? JSON.stringify(made.as(shownServer).tools.map((tool) => [tool.name, tool.state, tool.reason])) : made.text);
      return isMade;
    };
    let isMade = await register();
    if (!isMade && needsAccount) {
      // Its tokens come from elsewhere now: the administrator has it discovered again, and connects again.
      await connect();
      isMade = await register();
    }
    if (!isMade) return told;
    try {
      told.push(...(await this.#call(key, context)));
    } finally {
      await admin.delete(`/mcp/servers/${name}`);
    }
    return told;
  }

  /** @returns what was answered, for whoever reads why a scenario failed */
  async #connect(admin: HttpCaller, resource: string, { client_id, client_secret }: Order['context']): Promise<readonly string[]> {
    const provider = { resource, ...(client_id !== undefined && { client_id, client_secret }) };
    const put = await admin.request(`/providers/${name}`, { method: 'PUT', json: provider });
    const begun = await admin.post('/connections', { provider: name });
    if (begun.status >= 400) return [`provider ${put.status} ${put.text}`, begun.text];
    const here = (address: string): string => address.replace(publicUrl, this.#outside.system.gateway.url);
    const browser = new CookieBrowser();
    const back = await browser.visit(here(begun.as(connectionAddress).url), { until: publicUrl });
    const { status, text } = await browser.visit(here(back.url));
    return [`provider ${put.status} ${put.text}`, `connection ${status} ${text.includes('is connected')}`];
  }

  /** As a user does who is asked to connect an account in the middle of a call. */
  async #connectAt(address: string): Promise<void> {
    const here = (url: string): string => url.replace(publicUrl, this.#outside.system.gateway.url);
    const browser = new CookieBrowser();
    const begun = await browser.request(here(address), { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    const { location } = z.object({ location: z.string() }).parse(await begun.json());
    const back = await browser.visit(here(location), { until: publicUrl });
    await browser.visit(here(back.url));
  }

  async #call(key: string, { toolCalls }: Order['context']): Promise<readonly string[]> {
    const client = new Client(
      { name: 'suite', version: '1.0.0' },
      { capabilities: { elicitation: { form: {}, url: {} } }, versionNegotiation: { mode: 'auto' } },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      if (params.mode !== 'url') return { action: 'accept', content: {} };
      await this.#connectAt(params.url);
      return { action: 'accept' };
    });
    const at = new URL(`/mcp?tools=${name}__*`, this.#outside.system.gateway.url);
    await client.connect(new StreamableHTTPClientTransport(at, { requestInit: { headers: { authorization: `Bearer ${key}` } } }));
    try {
      const { tools } = await client.listTools();
      const calls =
        toolCalls?.map((call) => ({ name: `${name}__${call.name}`, arguments: call.arguments })) ??
        tools.map((tool) => ({ name: tool.name, arguments: argumentsOf(tool, tools) }));
      const results = [];
      for (const call of calls) {
        const result = await client.callTool(call).catch((error: unknown) => ({ error: String(error) }));
        results.push(`${call.name} ${JSON.stringify(result)}`);
      }
      return results;
    } finally {
      await client.close();
    }
  }
}

/** Something for each argument that has to be given. Who asks for a schema gets that of another tool, as it came. */
function argumentsOf({ inputSchema: { properties = {}, required = [] } }: Tool, tools: readonly Tool[]): Record<string, unknown> {
  const example = (name: string): unknown => {
    if (name === 'schema') return tools.find((one) => one.name.endsWith('2020_12_tool'))?.inputSchema;
    const { type } = z.looseObject({ type: z.string().default('string') }).parse(properties[name] ?? {});
    return type === 'number' || type === 'integer' ? name.length + 4 : type === 'boolean' ? true : type === 'object' ? {} : 'x';
  };
  return Object.fromEntries(required.map((one) => [one, example(one)]));
}

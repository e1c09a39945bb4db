// A server of MCP that knows users by the tokens of their accounts.
import { newName, register, type openServices } from './test-upstreams.js';
import { callAs, serveUsers, withProvider } from './test-user-accounts.js';

/** A registered server, whose list an administrator with an account has read. */
export async function registered(services: ReturnType<typeof openServices>, resource: string | null = null) {
  const provider = await withProvider(services, resource);
  const server = await serveUsers(provider.live);
  const name = newName();
  await provider.connect('admin');
  const body = { name, url: server.url, kind: 'mcp', connection: { provider: provider.name } };
  const put = async (more: object = {}) => register(services, { ...body, ...more });
  const made = resource === null ? await put() : null;
  if (made && made.kind !== 'done') throw new Error(`it was not registered: ${JSON.stringify(made)}`);
  return {
    provider,
    server,
    name,
    put,
    call: async (user: string) => callAs(services, user, { server: name, tool: 'whoami' }),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
    },
  };
}

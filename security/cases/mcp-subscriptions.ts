// What a server tells on the connection of one account is that user's alone.
import { setTimeout as pause } from 'node:timers/promises';
import { Client as McpClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { eventually, must } from '#lib/testing';
import { casesIn } from '../case.js';
import { as, served } from '../expect.js';
import { inbox } from '../world/account-server.js';
import type { Client } from '../world/client.js';
import type { World } from '../world/world.js';

const begun = z.looseObject({ url: z.string() });
const connections = z.looseObject({ connections: z.array(z.looseObject({ id: z.string(), provider: z.string() })) });
/** What is on its way is there by then, and it is told again after this time. */
const onItsWayMs = 3_000;
const soon = { withinMs: 60_000 };

interface Listener extends AsyncDisposable {
  readonly who: string;
  /** Of the account at the server. */
  readonly token: string;
  readonly by: Client;
  readonly heard: string[];
}

let servers = 0;

/** A server for all tenants, to which the victim, a colleague and a namesake in another tenant listen at the same address, with accounts of theirs. */
async function listeners(
  world: World,
): Promise<{ readonly provider: string; readonly victim: Listener; readonly others: readonly Listener[] } & AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const { accountServer, admin, tenantAdmin, strangerAdmin, system } = world;
  // Cases run at the same time, and a user has one account at each provider.
  const server = `inboxes${++servers}`;
  const provider = server;
  for (const by of [tenantAdmin, strangerAdmin]) served(await by.send(`PUT /providers/${provider}`, { json: { api_key: true } }));
  const json = { name: server, kind: 'mcp', url: accountServer.url, tenants: '*', connection: { provider } };
  served(await admin.send('POST /mcp/servers', { json }));
  const listen = async (who: string, by: Client, mode: 'auto' | 'legacy'): Promise<Listener> => {
    const token = `${server}-token-of-the-${who}`;
    const { url } = as(served(await by.send('POST /connections', { json: { provider } })), begun);
    served(await world.nobody.send(`POST ${new URL(url).pathname}`, { json: { api_key: token } }));
    const heard: string[] = [];
    const client = new McpClient({ name: who, version: '1.0.0' }, { versionNegotiation: { mode } });
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${system.gateway.url}/mcp`), { requestInit: { headers: { ...by.headers } } }),
    );
    started.defer(() => client.close().catch(() => undefined));
    const uri = `outside://${server}/${inbox}`;
    await eventually(
      async () =>
        (mode === 'auto' ? client.listen({ resourceSubscriptions: [uri] }) : client.subscribeResource({ uri })).then(
          () => true,
          () => false,
        ),
      { ...soon, what: `the ${who} to listen` },
    );
    // It is told once when it is subscribed to.
    await eventually(() => heard.length > 0, { ...soon, what: `the ${who} to hear of it` });
    return { who, token, by, heard, [Symbol.asyncDispose]: () => client.close() };
  };
  const victim = await listen('victim', world.victim, 'auto');
  const others = [await listen('neighbour', world.neighbour, 'auto'), await listen('stranger', world.stranger, 'legacy')];
  const owned = started.move();
  return { provider, victim, others, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function heardNothing(listening: readonly Listener[], work: () => void | Promise<void>): Promise<void> {
  const before = listening.map(({ heard }) => heard.length);
  await work();
  await pause(onItsWayMs);
  for (const [index, { who, heard }] of listening.entries())
    must(heard.length === before[index], `the ${who} heard of ${heard.slice(before[index]).join(', ')}`);
}

export const subscriptionCases = casesIn('MCP', {
  'What a server tells one account is heard by its user alone, whoever listens at the same address': [
    'S66, S13, S14',
    async (world) => {
      await using all = await listeners(world);
      const everyone = [all.victim, ...all.others];
      for (const one of everyone) {
        const rest = everyone.filter((other) => other !== one);
        await heardNothing(rest, async () => {
          const before = one.heard.length;
          world.accountServer.report(one.token);
          await eventually(() => one.heard.length > before, { ...soon, what: `the ${one.who} to hear of it` });
        });
      }
    },
  ],
  'Nobody hears what a server tells an account that was revoked': [
    'S66, S13, S14',
    async (world) => {
      await using all = await listeners(world);
      const { provider, victim, others } = all;
      const { connections: own } = as(served(await victim.by.send('GET /connections')), connections);
      must(world.accountServer.streams(victim.token) > 0, 'nothing listens with the account of the victim');
      for (const { id } of own.filter((one) => one.provider === provider)) served(await victim.by.send(`DELETE /connections/${id}`));
      await eventually(() => world.accountServer.streams(victim.token) === 0, { withinMs: 30_000, what: 'the connection to end' });
      await heardNothing([victim, ...others], () => world.accountServer.report(victim.token));
      for (const one of others) {
        const before = one.heard.length;
        world.accountServer.report(one.token);
        await eventually(() => one.heard.length > before, { ...soon, what: `the ${one.who} to hear of it` });
      }
    },
  ],
});

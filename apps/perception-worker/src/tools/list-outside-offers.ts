import { listOutsideOffers, type ApprovedServer, type ConnectionNeed, type FailureKind, type OutsideOffers } from '#lib/contracts';
import { failureKindOf, TimeLimit, type ToolContext } from '#lib/handlers';
import { tokenHider } from '../upstreams/hide-token.js';
import { requireOwn } from '../upstreams/require-own.js';
import { connectionOf, handle, type UpstreamServices } from '../upstreams/services.js';
import { accessOf, accountFault, ownerOf, withAccount } from '../upstreams/with-account.js';

/** For one server to be reached and to give its lists, in ms: those of the others wait so long. */
const withinMs = 8_000;

/** What is told of a server that gives no lists. Its own words may hold what callers must not see. */
const faults: Readonly<Record<FailureKind, string>> = {
  network: 'could not be reached',
  timeout: `did not give its lists within ${withinMs / 1_000} s`,
  'rate-limit': 'asks to slow down',
  service: 'answered with an error',
  internal: 'could not be asked',
};

interface Listed {
  readonly server: ApprovedServer;
  readonly fault: string | null;
  readonly offers: OutsideOffers | null;
}

export const handleListOutsideOffers = handle(listOutsideOffers, async ({ servers }, { network, ...context }) => {
  for (const server of servers) requireOwn(server, context.caller);
  return { servers: await network(async () => Promise.all(servers.map(async (server) => listsOf(server, context)))) };
});

/** A server that is down, or hangs, costs its own lists alone. */
async function listsOf(
  server: ApprovedServer,
  {
    upstreams,
    servers,
    accounts,
    caller,
    signal: left,
  }: Pick<UpstreamServices, 'upstreams' | 'servers' | 'accounts'> & Pick<ToolContext, 'caller' | 'signal'>,
): Promise<Listed> {
  using limit = new TimeLimit(withinMs, left);
  const { signal } = limit;
  let connection: ConnectionNeed | null = null;
  try {
    connection = await connectionOf(servers, server);
    const access = connection && accessOf(accounts, ownerOf(caller), connection);
    const offers = await withAccount(access, async (account) =>
      tokenHider(account?.token ?? null)(await upstreams.ask(server, { signal, account }, async (offers) => offers.lists(signal))),
    );
    return { server, fault: null, offers };
  } catch (error) {
    left.throwIfAborted();
    const fault = connection && accountFault(server.server, connection, error);
    if (fault) return { server, fault: fault.message, offers: null };
    return { server, fault: `${server.server} ${limit.timedOut ? faults.timeout : faults[failureKindOf(error)]}`, offers: null };
  }
}

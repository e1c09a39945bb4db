import { listOutsideOffers, type ApprovedServer, type FailureKind, type OutsideOffers } from '#lib/contracts';
import { failureKindOf, TimeLimit } from '#lib/handlers';
import { requireOwn } from '../upstreams/require-own.js';
import { handle, type UpstreamServices } from '../upstreams/services.js';

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

export const handleListOutsideOffers = handle(listOutsideOffers, async ({ servers }, { upstreams, caller, signal, network }) => {
  for (const server of servers) requireOwn(server, caller);
  return { servers: await network(async () => Promise.all(servers.map(async (server) => listsOf(server, upstreams, signal)))) };
});

/** A server that is down, or hangs, costs its own lists alone. */
async function listsOf(server: ApprovedServer, upstreams: UpstreamServices['upstreams'], signal: AbortSignal): Promise<Listed> {
  using limit = new TimeLimit(withinMs, signal);
  try {
    return { server, fault: null, offers: await upstreams.ask(server, limit.signal, async (offers) => offers.lists(limit.signal)) };
  } catch (error) {
    signal.throwIfAborted();
    return { server, fault: `${server.server} ${limit.timedOut ? faults.timeout : faults[failureKindOf(error)]}`, offers: null };
  }
}

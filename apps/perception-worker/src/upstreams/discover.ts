import type { OutsideKind } from '#lib/contracts';
import { TimeLimit } from '#lib/handlers';
import { Failure } from '#lib/handlers';
import { connectUpstream, type ConnectRules, type Destination } from './connect.js';
import { orAborted } from './or-aborted.js';
import type { ToolListing, Upstream } from './upstream.js';

/** What an outside server says about itself. */
export interface Discovered extends ToolListing {
  readonly kind: OutsideKind;
  readonly revision: string | null;
}

interface DiscoverOptions {
  readonly signal: AbortSignal;
  readonly onConnected: () => void;
  /** For connecting and for reading all pages of the list together, in ms. */
  readonly withinMs: number;
}

/**
 * Connects to a server that is to be registered, reads its list of tools and closes the connection. A server that hangs or sends its
 * answer in drops is cut off.
 * @throws Failure of the kind `timeout` when the time is up, AddressRefused, or the error of the connection
 */
export async function discover(
  to: Destination,
  rules: ConnectRules,
  { signal, onConnected, withinMs }: DiscoverOptions,
): Promise<Discovered> {
  using limit = new TimeLimit(withinMs, signal);
  const connecting = connectUpstream(to, rules, { signal: limit.signal, timeoutMs: withinMs });
  let upstream: Upstream | null = null;
  try {
    upstream = await orAborted(connecting, limit.signal);
    onConnected();
    const listing = await orAborted(upstream.list(limit.signal), limit.signal);
    return { kind: upstream.kind, revision: upstream.revision, ...listing };
  } catch (error) {
    if (!limit.timedOut) throw error;
    throw new Failure('timeout', `the server did not list its tools within ${withinMs / 1_000} s; a larger 'timeout_ms' gives it more`, {
      cause: error,
    });
  } finally {
    // Not waited for: a server that hangs may also hang here, or connect after its time.
    connecting.then((late) => late.close()).catch(() => undefined);
  }
}

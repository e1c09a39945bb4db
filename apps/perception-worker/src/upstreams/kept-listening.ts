// Connections that no call uses any more, and on which a server may still tell that somebody is done at an address.
import type { OutsideServer } from '#lib/contracts';
import type { Upstream } from './upstream.js';

/** How long a server may tell that somebody is done at an address, in ms. Then they say so themselves. */
export const addressMs = 600_000;

interface Kept {
  readonly server: OutsideServer;
  readonly upstream: Promise<Upstream>;
  readonly timer: NodeJS.Timeout;
}

/**
 * A call that rests has left its connection in a state that nobody knows, so no other call gets it. But the server may know nobody else whom
 * to tell.
 */
export class KeptListening {
  readonly #most: number;
  readonly #kept = new Set<Kept>();

  /** @param most the oldest closes for one more */
  constructor(most: number) {
    this.#most = most;
  }

  keep(server: OutsideServer, upstream: Promise<Upstream>, forMs: number): void {
    const [oldest] = this.#kept;
    if (oldest && this.#kept.size >= this.#most) void this.#close(oldest);
    const kept: Kept = { server, upstream, timer: setTimeout(() => void this.#close(kept), forMs).unref() };
    this.#kept.add(kept);
  }

  /** Closes those of servers that are registered no more. */
  async leave(isGone: (server: OutsideServer) => Promise<boolean>): Promise<void> {
    for (const kept of this.#kept) if (await isGone(kept.server)) await this.#close(kept);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#kept].map(async (kept) => this.#close(kept)));
  }

  async #close(kept: Kept): Promise<void> {
    this.#kept.delete(kept);
    clearTimeout(kept.timer);
    await kept.upstream.then((upstream) => upstream.close()).catch(() => undefined);
  }
}

import { offeredNames, outsideServerId, type AppRules, type ApprovedServer, type OutsideOffers } from '#lib/contracts';

/** What is known of a server. */
export interface KnownOffers {
  readonly lists: OutsideOffers;
  /** The own names of its prompts, by those that they have here. */
  readonly prompts: ReadonlyMap<string, string>;
  /** Why the lists are not those of now. */
  readonly fault: string | null;
}

/** A server as one caller asks it. */
export interface AskedServer extends ApprovedServer {
  /** The principal whose account it is asked with: nobody else sees its lists. Null where they are the same for all. */
  readonly owner: string | null;
  /** What its pages may load and use. */
  readonly apps: AppRules;
}

interface Entry extends KnownOffers {
  readonly serverId: string;
  readonly approval: number;
  readonly bytes: number;
  freshUntil: number;
}

/** How long lists hold unless their server says otherwise, and how long a server that has failed is left alone, in ms. */
const freshMs = 60_000;
const faultyMs = 15_000;
/** Bytes of all lists that a gateway keeps. */
const keptBytes = 64 * 1024 * 1024;

const nothing: KnownOffers = {
  lists: { resources: [], templates: [], prompts: [], completes: false, faults: [] },
  prompts: new Map(),
  fault: null,
};

/** The lists of outside servers that a gateway has read, up to a number of bytes. */
export class OfferCache {
  /** In the order in which they were read. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  #changes = 0;

  /** Counts changes, so that who reads lists notices one that comes meanwhile. */
  get changes(): number {
    return this.#changes;
  }

  isFresh(server: AskedServer): boolean {
    return (this.#of(server)?.freshUntil ?? 0) > performance.now();
  }

  find(server: AskedServer): KnownOffers {
    return this.#of(server) ?? nothing;
  }

  /**
   * Keeps what was read. A server that could not be asked has its earlier lists.
   * @param changes of the time at which the reading began
   */
  keep(server: AskedServer, read: { readonly lists: OutsideOffers | null; readonly fault: string | null; readonly changes: number }): void {
    const key = keyOf(server);
    const before = this.find(server);
    this.#drop(key);
    const { lists = before.lists } = { ...(read.lists && { lists: read.lists }) };
    const bytes = Buffer.byteLength(JSON.stringify(lists));
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes + bytes <= keptBytes) break;
      this.#drop(oldest);
    }
    const names = offeredNames(
      server.server,
      lists.prompts.map(({ name }) => name),
    );
    const isCurrent = read.changes === this.#changes;
    this.#entries.set(key, {
      serverId: idOf(server),
      approval: server.approval,
      lists,
      prompts: new Map([...names].map(([own, here]) => [here, own])),
      fault: read.fault,
      bytes,
      freshUntil: isCurrent ? performance.now() + (read.fault === null ? freshMs : faultyMs) : 0,
    });
    this.#bytes += bytes;
  }

  /** From now on its lists are read again. */
  forget(id: string): void {
    this.#changes += 1;
    for (const known of this.#entries.values()) if (known.serverId === id) known.freshUntil = 0;
  }

  #of(server: AskedServer): Entry | undefined {
    const known = this.#entries.get(keyOf(server));
    return known?.approval === server.approval ? known : undefined;
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }
}

function keyOf(server: AskedServer): string {
  return JSON.stringify([idOf(server), server.owner]);
}

function idOf({ tenant, server }: ApprovedServer): string {
  return outsideServerId({ tenantId: tenant, name: server });
}

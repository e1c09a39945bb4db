import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  fingerprint,
  jsonIn,
  outsideContract,
  OutsideToolError,
  outsideServer,
  type Catalog,
  type OutsideServer,
  type ToolContract,
  withRetryBase,
} from '#lib/contracts';
import type { RedisKeys } from '../redis/redis-keys.js';
import type { WatchedResource } from './watched-resources.js';

const identified = z.looseObject({ id: z.string() });

/** A change is told by a notice; this finds one whose notice was lost. */
const recheckMs = 15_000;

/** Stands before an id on the channel of changes. No id has a blank. */
const offersMark = 'offers ';

/** What a process says that has heard of other resources or prompts of a server; its tools are the same. */
export function offersNotice(serverId: string): string {
  return offersMark + serverId;
}

/** The same of a resource that has changed. */
const updatedMark = 'updated ';

/** Of a server that acts with accounts: who alone is told. Other versions do not know it, and tell nobody. */
const updatedForMark = 'updated-for ';
const updatedFor = z.object({ server: z.string(), owner: z.string(), uri: z.string() });

/** What a process says that has heard of a change of a resource, by its own address. @param owner whose account heard it */
export function updatedNotice(serverId: string, uri: string, owner?: string): string {
  return owner === undefined ? `${updatedMark}${serverId} ${uri}` : updatedForMark + JSON.stringify({ server: serverId, owner, uri });
}

/** The same of an address that a person was asked to open: what is done there is done. */
const openedMark = 'opened ';

export function openedNotice(serverId: string, elicitationId: string): string {
  return `${openedMark}${serverId} ${elicitationId}`;
}

interface OutsideToolsParts {
  readonly keys: RedisKeys;
  readonly subscriber: Redis;
  /** All approved servers, as they are stored. */
  readonly load: () => Promise<readonly unknown[]>;
  /** What gets the tools. */
  readonly catalog: Catalog;
  /** Before the first retry of a call, in ms. */
  readonly retryBaseMs: number;
  readonly onFault: (error: unknown) => void;
}

/** An address that a server has asked a person to open, by the server's own name for it. */
export interface OpenedAddress {
  readonly tenant: string | null;
  readonly server: string;
  readonly elicitationId: string;
}

/** @param tenants whose tools have changed; null where those of all have */
type Listener = (tenants: ReadonlySet<string> | null) => void;

interface MadeServer {
  readonly print: string;
  readonly tenantId: string | null;
  /** Made when they are first asked for. */
  readonly contracts: () => readonly ToolContract[];
}

interface ServersOfTenant {
  readonly servers: readonly MadeServer[];
  readonly contracts: () => readonly ToolContract[];
}

/**
 * Keeps the outside part of a catalog as it is stored, in every process alike. While the store is away the last known
 * tools are served.
 */
export class OutsideTools {
  readonly #parts: OutsideToolsParts;
  readonly #listeners = new Set<Listener>();
  readonly #offerListeners = new Set<(server: Pick<OutsideServer, 'tenantId' | 'name'>) => void>();
  readonly #updateListeners = new Set<(resource: WatchedResource) => void>();
  readonly #openedListeners = new Set<(opened: OpenedAddress) => void>();
  #made: ReadonlyMap<string, MadeServer> = new Map();
  #ofTenants: ReadonlyMap<string, ServersOfTenant> = new Map();
  #isRead = false;
  #reading: Promise<void> | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: OutsideToolsParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    const channel = this.#parts.keys.changesOf('outside');
    this.#parts.subscriber.on('message', (from, notice) => {
      if (from !== channel) return;
      if (notice.startsWith(offersMark)) this.#tellOffers(notice.slice(offersMark.length));
      else if (notice.startsWith(updatedMark)) this.#tellUpdated(notice.slice(updatedMark.length));
      else if (notice.startsWith(updatedForMark)) this.#tellUpdatedFor(notice.slice(updatedForMark.length));
      else if (notice.startsWith(openedMark)) this.#tellOpened(notice.slice(openedMark.length));
      else void this.refresh();
    });
    await this.#parts.subscriber.subscribe(channel);
    await this.refresh();
    this.#timer = setInterval(() => void this.refresh(), recheckMs).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Whether the store has been read. Before, no outside tool is known here. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Told after each change of the catalog. */
  onChange(listener: Listener): void {
    this.#listeners.add(listener);
  }

  /** Told of a server whose resources or prompts are others now. */
  onOffersChange(listener: (server: Pick<OutsideServer, 'tenantId' | 'name'>) => void): void {
    this.#offerListeners.add(listener);
  }

  /** Told of a resource that has changed. */
  onResourceUpdated(listener: (resource: WatchedResource) => void): void {
    this.#updateListeners.add(listener);
  }

  /** Told of an address at which a person is done, as its server says. */
  onOpened(listener: (opened: OpenedAddress) => void): void {
    this.#openedListeners.add(listener);
  }

  /** Reads the store now. One read serves all who ask while it has not begun. */
  async refresh(): Promise<void> {
    // A read that runs already may have missed what the asker knows of.
    await this.#reading;
    this.#reading ??= this.#read().finally(() => (this.#reading = null));
    await this.#reading;
  }

  #tellOffers(serverId: string): void {
    for (const listener of this.#offerListeners) listener(serverOf(serverId));
  }

  #tellUpdated(said: string): void {
    const [{ tenantId, name }, uri] = halves(said);
    for (const listener of this.#updateListeners) listener({ tenant: tenantId, server: name, uri });
  }

  #tellUpdatedFor(said: string): void {
    const parsed = updatedFor.safeParse(jsonIn(said));
    if (!parsed.success) return;
    const { server, owner, uri } = parsed.data;
    const { tenantId, name } = serverOf(server);
    for (const listener of this.#updateListeners) listener({ tenant: tenantId, server: name, uri, owner });
  }

  #tellOpened(said: string): void {
    const [{ tenantId, name }, elicitationId] = halves(said);
    for (const listener of this.#openedListeners) listener({ tenant: tenantId, server: name, elicitationId });
  }

  async #read(): Promise<void> {
    let tenants: ReadonlySet<string> | null = null;
    try {
      const made = new Map((await this.#parts.load()).flatMap((row) => this.#madeOf(row)));
      const isChanged = made.size !== this.#made.size || [...made].some(([id, server]) => this.#made.get(id) !== server);
      if (isChanged) {
        const byTenant = Map.groupBy(made.values(), ({ tenantId }) => tenantId);
        const ofTenants = new Map(
          [...byTenant].flatMap(([tenantId, servers]): [string, ServersOfTenant][] =>
            tenantId === null ? [] : [[tenantId, sameOr(this.#ofTenants.get(tenantId), servers)]],
          ),
        );
        const ofAll = (byTenant.get(null) ?? []).flatMap(({ contracts }) => contracts());
        this.#parts.catalog.replaceOutside(ofAll, new Map([...ofTenants].map(([tenantId, { contracts }]) => [tenantId, contracts])));
        this.#ofTenants = ofTenants;
      }
      tenants = tenantsOfChanges(this.#made, made);
      this.#made = made;
      this.#isRead = true;
      if (!isChanged) return;
    } catch (error) {
      return this.#parts.onFault(error);
    }
    for (const listener of this.#listeners) listener(tenants);
  }

  /** A server that has not changed keeps its contracts: what was made of them is kept with them. */
  #madeOf(row: unknown): [string, MadeServer][] {
    const { id } = identified.parse(row);
    const known = this.#made.get(id);
    const parsed = outsideServer.safeParse(row);
    if (!parsed.success) {
      // It stays as it was, and those of others follow their rows.
      this.#parts.onFault(parsed.error);
      return known ? [[id, known]] : [];
    }
    const print = fingerprint(parsed.data);
    if (known?.print === print) return [[id, known]];
    let contracts: readonly ToolContract[] | null = null;
    return [[id, { print, tenantId: parsed.data.tenantId, contracts: () => (contracts ??= this.#contractsOf(parsed.data)) }]];
  }

  /** What was approved by another version may be no contract to this one. */
  #contractsOf(server: OutsideServer): ToolContract[] {
    return server.tools.flatMap((tool) => {
      try {
        return [withRetryBase(outsideContract(server, tool), this.#parts.retryBaseMs)];
      } catch (error) {
        if (!(error instanceof OutsideToolError)) throw error;
        this.#parts.onFault(error);
        return [];
      }
    });
  }
}

/** Names of servers have no stroke. */
/** A server, and what is said of it. */
function halves(said: string): [Pick<OutsideServer, 'tenantId' | 'name'>, string] {
  const blank = said.indexOf(' ');
  return [serverOf(said.slice(0, blank)), said.slice(blank + 1)];
}

function serverOf(serverId: string): Pick<OutsideServer, 'tenantId' | 'name'> {
  const stroke = serverId.lastIndexOf('/');
  return { tenantId: stroke < 0 ? null : serverId.slice(0, stroke), name: serverId.slice(stroke + 1) };
}

function tenantsOfChanges(before: ReadonlyMap<string, MadeServer>, after: ReadonlyMap<string, MadeServer>): ReadonlySet<string> | null {
  const ids = new Set([...before.keys(), ...after.keys()]);
  const changed = [...ids].filter((id) => before.get(id) !== after.get(id)).flatMap((id) => [before.get(id), after.get(id)]);
  const tenants = changed.flatMap((server) => (server ? [server.tenantId] : []));
  const own = tenants.filter((tenantId) => tenantId !== null);
  return own.length < tenants.length ? null : new Set(own);
}

/** What there was before where it is the same servers: by it the catalog knows that nothing has changed. */
function sameOr(before: ServersOfTenant | undefined, servers: readonly MadeServer[]): ServersOfTenant {
  if (before?.servers.length === servers.length && servers.every((server, index) => server === before.servers[index])) return before;
  return { servers, contracts: () => servers.flatMap(({ contracts }) => contracts()) };
}

import { Injectable } from '@nestjs/common';
import { boundedDomain } from '../../bounded-domain.js';
import { ToolDirectory } from '../../calls/tool-directory.js';
import { Room } from './gate.js';
import { Stores } from '../../stores.js';

/** Calls of one domain that the batches of a tenant have open through one gateway: so many, and this part of what it may have open. */
const mostOpen = 256;
const share = 0.25;
/** Tenants that are remembered. */
const mostRooms = 10_000;

/** The places that the batches of each tenant share, so that they fill no domain. */
@Injectable()
export class Rooms {
  readonly #rooms = new Map<string, Room>();

  constructor(
    private readonly stores: Stores,
    private readonly tools: ToolDirectory,
  ) {}

  /** @param tool as a call names it; one that is not known is refused when it is called */
  of(tenantId: string, tool: string): Room {
    const domain = this.tools.of({ tenantId }).named(tool)?.domain ?? null;
    const key = JSON.stringify([tenantId, domain]);
    const known = this.#rooms.get(key);
    if (known) return known;
    const room = new Room(domain === null ? mostOpen : this.#placesIn(domain));
    if (this.#rooms.size >= mostRooms) this.#rooms.clear();
    this.#rooms.set(key, room);
    return room;
  }

  #placesIn(domain: string): number {
    const { maxOpen, tenantShare } = boundedDomain(domain, this.stores.settings);
    return Math.max(1, Math.min(mostOpen, Math.floor(maxOpen * tenantShare * share)));
  }
}

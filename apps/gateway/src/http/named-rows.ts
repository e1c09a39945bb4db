import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { parseOrRefuse, principal, Refusal, type Caller } from '#lib/contracts';
import { stored } from './stored.js';

interface RowName {
  readonly tenantId: string;
  readonly name: string;
}

/** Rows of tenants in Postgres, by name. Rejects when it is away. */
interface NamedStore<Row, Body> {
  readonly ofTenants: (tenants: readonly string[]) => Promise<readonly Row[]>;
  readonly find: (of: RowName) => Promise<Row | null>;
  /** @returns whether it is new */
  readonly put: (by: string, of: RowName, body: Body) => Promise<boolean>;
  /** @returns whether there was one */
  readonly remove: (by: string, of: RowName) => Promise<boolean>;
}

/** Whose rows a caller has to do with, where they are not those of its tenant alone. */
interface Whose<Row> {
  /** Of those that it makes. */
  readonly owner: (caller: Caller) => string;
  /** Of those that it reads, besides its own. */
  readonly others: readonly string[];
  readonly isSeen: (row: Row, caller: Caller) => boolean;
}

interface NamedRowsParts<Row, Body> {
  readonly store: NamedStore<Row, Body>;
  /** Once its promise resolves, every gateway knows of a change. */
  readonly directory: { readonly changed: () => Promise<void> };
  readonly name: z.ZodType<string, string>;
  /** For messages, such as `policy`. */
  readonly what: string;
  /** The address of all, such as `/policies`. */
  readonly path: string;
  /** For the caller, when Postgres is away. */
  readonly unreachable: string;
  readonly whose?: Whose<Row>;
}

interface PutRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  /** As `nameIn` gave it. */
  readonly name: string;
}

/** What `GET`, `PUT` and `DELETE /<path>/{name}` do with rows of the caller's tenant. Every method throws NETWORK_ERROR when Postgres is away. */
export class NamedRows<Row extends RowName, Body> {
  readonly #parts: NamedRowsParts<Row, Body>;

  constructor(parts: NamedRowsParts<Row, Body>) {
    this.#parts = parts;
  }

  async all(caller: Caller): Promise<readonly Row[]> {
    const { whose } = this.#parts;
    const rows = await this.#stored((store) => store.ofTenants([...(whose?.others ?? []), caller.tenantId]));
    return whose ? rows.filter((row) => whose.isSeen(row, caller)) : rows;
  }

  /** One that the caller may read. Throws RESOURCE_NOT_FOUND. */
  async one(caller: Caller, name: string): Promise<Row> {
    const { whose } = this.#parts;
    const row = await this.#first([this.#ownerFor(caller), ...(whose?.others ?? []), caller.tenantId], name, (found) =>
      whose ? whose.isSeen(found, caller) : true,
    );
    if (row) return row;
    throw this.#unknown(name);
  }

  /** One that the caller may delete. Throws RESOURCE_NOT_FOUND. */
  async own(caller: Caller, name: string): Promise<Row> {
    const row = await this.#first([this.#ownerFor(caller), caller.tenantId], name, () => true);
    if (row) return row;
    throw this.#unknown(name);
  }

  /** Throws INVALID_PARAMS. */
  nameIn(given: string): string {
    return parseOrRefuse(z.object({ name: this.#parts.name }), { name: given }).name;
  }

  /** Makes one, or puts it in the place of another, and answers with 201 or 200. Throws what the store refuses. */
  async put({ request, reply, caller, name }: PutRequest, body: Body): Promise<Row> {
    const isNew = await this.#stored((store) => store.put(principal(caller), { tenantId: this.#ownerFor(caller), name }, body));
    await this.#changed();
    request.facts.made = name;
    void reply.status(isNew ? 201 : 200).header('location', `${this.#parts.path}/${name}`);
    return this.one(caller, name);
  }

  /** Deletes what `own` gave. Throws RESOURCE_NOT_FOUND where somebody else was first. */
  async remove(caller: Caller, row: Row): Promise<void> {
    if (!(await this.#stored((store) => store.remove(principal(caller), row)))) throw this.#unknown(row.name);
    await this.#changed();
  }

  #ownerFor(caller: Caller): string {
    return this.#parts.whose?.owner(caller) ?? caller.tenantId;
  }

  async #first(tenants: readonly string[], name: string, isMeant: (row: Row) => boolean): Promise<Row | null> {
    if (!this.#parts.name.safeParse(name).success) return null;
    for (const tenantId of new Set(tenants)) {
      const row = await this.#stored((store) => store.find({ tenantId, name }));
      if (row && isMeant(row)) return row;
    }
    return null;
  }

  async #changed(): Promise<void> {
    await stored(this.#parts.unreachable, () => this.#parts.directory.changed());
  }

  async #stored<T>(work: (store: NamedStore<Row, Body>) => Promise<T>): Promise<T> {
    return stored(this.#parts.unreachable, () => work(this.#parts.store));
  }

  #unknown(name: string): Refusal {
    const { what, path, whose } = this.#parts;
    const ofYours = whose ? ' of yours' : '';
    return new Refusal('RESOURCE_NOT_FOUND', `There is no ${what} '${name.slice(0, 64)}'${ofYours}; see GET ${path}`);
  }
}

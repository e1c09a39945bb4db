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
  readonly find: (tenantId: string, name: string) => Promise<Row | null>;
  /** @returns whether it is new */
  readonly put: (by: string, of: RowName, body: Body) => Promise<boolean>;
  /** @returns whether there was one */
  readonly remove: (by: string, of: RowName) => Promise<boolean>;
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

  async all({ tenantId }: Caller): Promise<readonly Row[]> {
    return this.#stored((store) => store.ofTenants([tenantId]));
  }

  /** Throws RESOURCE_NOT_FOUND. */
  async one({ tenantId }: Caller, name: string): Promise<Row> {
    const row = this.#parts.name.safeParse(name).success ? await this.#stored((store) => store.find(tenantId, name)) : null;
    if (row) return row;
    throw this.#unknown(name);
  }

  /** Throws INVALID_PARAMS. */
  nameIn(given: string): string {
    return parseOrRefuse(z.object({ name: this.#parts.name }), { name: given }).name;
  }

  /** Makes one, or puts it in the place of another, and answers with 201 or 200. Throws what the store refuses. */
  async put({ request, reply, caller, name }: PutRequest, body: Body): Promise<Row> {
    const isNew = await this.#stored((store) => store.put(principal(caller), { tenantId: caller.tenantId, name }, body));
    await this.#parts.directory.changed();
    request.facts.made = name;
    void reply.status(isNew ? 201 : 200).header('location', `${this.#parts.path}/${name}`);
    return this.one(caller, name);
  }

  /** Throws RESOURCE_NOT_FOUND. @returns what there was */
  async remove(caller: Caller, name: string): Promise<Row> {
    const row = await this.one(caller, name);
    if (!(await this.#stored((store) => store.remove(principal(caller), row)))) throw this.#unknown(name);
    await this.#parts.directory.changed();
    return row;
  }

  async #stored<T>(work: (store: NamedStore<Row, Body>) => Promise<T>): Promise<T> {
    return stored(this.#parts.unreachable, () => work(this.#parts.store));
  }

  #unknown(name: string): Refusal {
    return new Refusal('RESOURCE_NOT_FOUND', `There is no ${this.#parts.what} '${name.slice(0, 64)}'; see GET ${this.#parts.path}`);
  }
}

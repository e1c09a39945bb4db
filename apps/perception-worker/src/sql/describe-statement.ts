import type { Connection, FieldDef, Submittable } from 'pg';
import { z } from 'zod';

/** What a statement takes and gives, by the numbers of its types. */
export interface Described {
  readonly parameters: readonly number[];
  readonly columns: readonly { readonly name: string; readonly type: number }[];
}

const parameterDescription = z.object({ dataTypeIDs: z.array(z.int()) });

/** Has a statement parsed and described, and not run. `pg` calls its methods; a statement has to be one, without another behind it. */
export class DescribeStatement implements Submittable {
  readonly #text: string;
  readonly #result = Promise.withResolvers<Described>();
  #parameters: readonly number[] = [];
  #columns: readonly FieldDef[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws the error of the server */
  get described(): Promise<Described> {
    return this.#result.promise;
  }

  submit(connection: Connection): void {
    connection.once('parameterDescription', (message: unknown) => {
      this.#parameters = parameterDescription.parse(message).dataTypeIDs;
    });
    connection.parse({ name: '', text: this.#text, types: [] }, true);
    connection.describe({ type: 'S', name: '' }, true);
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly FieldDef[] }): void {
    this.#columns = fields;
  }

  handleError(error: unknown): void {
    this.#result.reject(error instanceof Error ? error : new Error(String(error)));
  }

  handleReadyForQuery(): void {
    const columns = this.#columns.map(({ name, dataTypeID }) => ({ name, type: dataTypeID }));
    this.#result.resolve({ parameters: this.#parameters, columns });
  }
}

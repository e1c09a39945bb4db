import { InvoqError } from '#lib/client';

/** What the gateway said against fields of a form, by their paths. */
export function faultsOf(error: unknown): ReadonlyMap<string, string> {
  return new Map(error instanceof InvoqError ? error.details.map(({ path, message }) => [path, message] as const) : []);
}

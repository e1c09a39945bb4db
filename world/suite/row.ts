import type { Place } from './place.js';

/** What the rows are grouped by. */
export const groups = {
  servers: 'Servers of MCP',
  clients: 'Clients',
  lists: 'Readers of our lists',
  documents: 'Documents',
  openapi: 'OpenAPI documents',
  reports: 'Reports of others',
} as const;
export type Group = keyof typeof groups;

/** Throws if what must hold does not. Gives what was seen, in a few words. */
export type Attempt = (place: Place) => Promise<string>;

/** One thing of the world, and what must hold of it. */
export interface Row {
  readonly group: Group;
  /** Unique in its group. */
  readonly name: string;
  /** Where it comes from: a package of world/packages/package.json, or an issue as `owner/repository#1`. */
  readonly source: string;
  /** How it was tried, and what must hold. */
  readonly holds: string;
  /** Whether the short form has it. */
  readonly short: boolean;
  /** Programs that the product may start for it, by name. */
  readonly commands?: Readonly<Record<string, Command>>;
  readonly attempt: Attempt;
}

/** As in UPSTREAM_COMMANDS. @param folder holds `note.txt` and `long.txt`, and is free to write in */
export type Command = (folder: string) => { readonly command: string; readonly args: readonly string[] };

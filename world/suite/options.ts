import { parseArgs } from 'node:util';
import { CommandError } from '#lib/command-line';
import { groups, type Row } from './row.js';

export interface WorldOptions {
  /** Parts of what is tried; all when empty. See `isMeant`. */
  readonly only: readonly string[];
  readonly short: boolean;
  /** Writes the table of rows instead of trying them. */
  readonly table: boolean;
}

export const usage = `Tries the product on servers, clients and documents of others, from packages of npm, and on faults that others have reported.
Starts a system of its own. The packages are installed in world/packages/node_modules; after that no network is needed.

  npm run world -- [--only playwright,clients] [--short]
  npm run world -- --table

  --only   groups (${Object.keys(groups).join(' ')}), or parts of names and sources of rows
  --short  one row of each kind: what is quick and needs no time to start. Installs the dependencies of world/packages alone
  --table  writes the table of rows into docs/compatibility.md`;

/** Throws a CommandError that says what is wrong. */
export function parseOptions(args: readonly string[]): WorldOptions {
  const options = { only: { type: 'string' }, short: { type: 'boolean' }, table: { type: 'boolean' } } as const;
  try {
    const { only = '', short = false, table = false } = parseArgs({ args: [...args], options }).values;
    const parts = only.split(',').map((one) => one.trim().toLowerCase());
    return { only: parts.filter(Boolean), short, table };
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

/** Whether a row belongs to what was asked for. */
export function isMeant(row: Omit<Row, 'attempt'>, { only, short }: Omit<WorldOptions, 'table'>): boolean {
  if (short && !row.short) return false;
  const texts = [row.name, row.source].map((text) => text.toLowerCase());
  return only.length === 0 || only.some((part) => part === row.group || texts.some((text) => text.includes(part)));
}

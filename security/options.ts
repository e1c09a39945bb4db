import { parseArgs } from 'node:util';
import { CommandError } from '#lib/command-line';
import { groups, type SecurityCase } from './case.js';

export interface SecurityOptions {
  readonly seed: number;
  /** Which cases run; all when empty. See `isMeant`. */
  readonly only: readonly string[];
  /** Plants faults and runs the cases that must find them. */
  readonly prove: boolean;
  /** Measures what a neighbour notices of each attack of the audits. */
  readonly beside: boolean;
  /** Writes the table of cases instead of running them. */
  readonly table: boolean;
}

export const usage = `Attacks the product over HTTP as its callers can, and tells what held. Starts a system of its own in the shape of a deployment.

  npm run security -- [--seed N] [--only API1,S13,"finding 4"]
  npm run security -- --prove [--only ticket]
  npm run security -- --beside [--only F3]
  npm run security -- --table

  --seed   decides the order of the cases; a random one when absent
  --only   groups (${Object.keys(groups).join(' ')}), threats (S13, finding 4), or parts of names of cases
  --prove  plants known faults in copies of the sources, one by one, and runs the cases that must find each
  --beside attacks as the audits did, and prints what another tenant notices: latency, and the gateway's processor time
  --table  writes the table of cases into docs/security.md`;

/** Throws a CommandError that says what is wrong. */
export function parseOptions(args: readonly string[]): SecurityOptions {
  const { seed, only, prove = false, beside = false, table = false } = values(args);
  if (seed !== undefined && !/^\d{1,9}$/.test(seed)) throw new CommandError(`--seed must be a whole number, not "${seed}"\n${usage}`);
  return {
    seed: seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(seed),
    only: (only ?? '')
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean),
    prove,
    beside,
    table,
  };
}

/** Whether a case belongs to what was asked for: its group, one of its threats, or a part of its name. */
export function isMeant({ group, threats, name }: Omit<SecurityCase, 'attack'>, only: readonly string[]): boolean {
  return only.length === 0 || only.some((wish) => same(wish, group) || threats.some((one) => same(wish, one)) || isIn(wish, name));
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function isIn(part: string, name: string): boolean {
  return part.length > 3 && name.toLowerCase().includes(part.toLowerCase());
}

function values(args: readonly string[]) {
  const options = {
    seed: { type: 'string' },
    only: { type: 'string' },
    prove: { type: 'boolean' },
    beside: { type: 'boolean' },
    table: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

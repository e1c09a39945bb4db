import { parseArgs } from 'node:util';
import { CommandError } from '#lib/command-line';
import { allFaults, quickFaults } from './faults/index.js';
import type { Fault } from './faults/fault.js';

export interface ChaosOptions {
  readonly seed: number;
  /** Rounds of all faults begin until so many seconds have passed; 0 is one round. */
  readonly seconds: number;
  readonly faults: readonly Fault[];
  /** Whether the whole list was asked for. */
  readonly isAll: boolean;
  /** Of each domain. */
  readonly partitions: number;
  /** Whether the table is written to docs/reliability.md. */
  readonly write: boolean;
}

const ids = (faults: readonly Fault[]) => faults.map(({ id }) => id).join(' ');

export const usage = `Kills and pauses processes under load, and judges the history.

  npm run chaos -- [--all [--write]] [--seed N] [--seconds S] [--only F01,F06] [--partitions 4]

  --all      every fault that we know, about 15 minutes a round; without it the most common ones
  --write    write the table to docs/reliability.md
  --seed     decides order, victims, times and the mix of calls; a random one when absent
  --seconds  begin new rounds of all faults for so long; one round when absent
  --only     these faults alone; F01 means all of F01
  --partitions  of each domain; default 1

Without --all: ${ids(quickFaults)}
With --all: ${ids(allFaults)}`;

/** Throws a CommandError that says what is wrong. */
export function parseOptions(args: readonly string[]): ChaosOptions {
  const { seed, seconds, only, partitions, all: isAll = false, write = false } = values(args);
  if (write && (!isAll || only !== undefined)) throw new CommandError(`--write needs --all, and no --only\n${usage}`);
  return {
    seed: seed === undefined ? Math.floor(Math.random() * 1_000_000) : wholeNumber('seed', seed),
    seconds: seconds === undefined ? 0 : wholeNumber('seconds', seconds),
    faults: only === undefined ? (isAll ? allFaults : quickFaults) : only.split(',').flatMap(named),
    isAll,
    partitions: partitions === undefined ? 1 : wholeNumber('partitions', partitions),
    write,
  };
}

function values(args: readonly string[]) {
  const options = {
    seed: { type: 'string' },
    seconds: { type: 'string' },
    only: { type: 'string' },
    partitions: { type: 'string' },
    all: { type: 'boolean' },
    write: { type: 'boolean' },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

function named(wish: string): readonly Fault[] {
  const name = wish.trim().toUpperCase();
  const meant = allFaults.filter(({ id }) => id.toUpperCase() === name || id.toUpperCase().startsWith(`${name}.`));
  if (meant.length === 0) throw new CommandError(`there is no fault ${wish}\n${usage}`);
  return meant;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`--${name} must be a whole number, not "${text}"\n${usage}`);
  return Number(text);
}

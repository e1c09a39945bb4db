import { parseArgs } from 'node:util';
import { CommandError } from '#lib/command-line';
import { faults } from './faults/index.js';
import type { Fault } from './faults/fault.js';

export interface ChaosOptions {
  readonly seed: number;
  /** Rounds of all faults begin until so many seconds have passed; 0 is one round. */
  readonly seconds: number;
  readonly faults: readonly Fault[];
}

export const usage = `Kills and pauses processes under load, and judges the history.

  npm run chaos -- [--seed N] [--seconds S] [--only F01,F06]

  --seed     decides order, victims, times and the mix of calls; a random one when absent
  --seconds  begin new rounds of all faults for so long; one round when absent
  --only     these faults alone: ${faults.map(({ id }) => id).join(' ')}; F01 means all of F01`;

/** Throws a CommandError that says what is wrong. */
export function parseOptions(args: readonly string[]): ChaosOptions {
  const { seed, seconds, only } = values(args);
  return {
    seed: seed === undefined ? Math.floor(Math.random() * 1_000_000) : wholeNumber('seed', seed),
    seconds: seconds === undefined ? 0 : wholeNumber('seconds', seconds),
    faults: only === undefined ? faults : only.split(',').flatMap(named),
  };
}

function values(args: readonly string[]) {
  const options = { seed: { type: 'string' }, seconds: { type: 'string' }, only: { type: 'string' } } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

function named(wish: string): readonly Fault[] {
  const name = wish.trim().toUpperCase();
  const meant = faults.filter(({ id }) => id === name || id.startsWith(`${name}.`));
  if (meant.length === 0) throw new CommandError(`there is no fault ${wish}\n${usage}`);
  return meant;
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new CommandError(`--${name} must be a whole number, not "${text}"\n${usage}`);
  return Number(text);
}

import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { CommandError, root } from '#lib/command-line';

/** The seed of properties (fast-check) that PROPERTY_SEED gives. Throws CommandError for one that is no whole number of at most nine digits. */
export function givenSeed({ PROPERTY_SEED: given } = process.env): number | null {
  if (!given) return null;
  if (!/^-?\d{1,9}$/.test(given)) throw new CommandError(`PROPERTY_SEED is "${given}": give a whole number of at most nine digits.`);
  return Number(given);
}

/**
 * The seed of a whole run: a number of the commit that is checked out. Each commit tries other values, and two runs of one commit the same ones,
 * so a machine finds what another one has found. Without git it is random.
 */
export function seedOfCommit(): number {
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return Number.parseInt(commit.slice(0, 7), 16);
  } catch {
    return randomInt(0x10000000);
  }
}

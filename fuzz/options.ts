import { parseArgs } from 'node:util';
import { CommandError } from '#lib/command-line';

export interface FuzzOptions {
  readonly seed: number;
  /** Number of the first case. */
  readonly from: number;
  /** How many requests are sent at least; a case has one to three. */
  readonly requests: number;
  /** This case alone. */
  readonly only: number | null;
  readonly atOnce: number;
  /** No new cases after so many seconds; 0 for no limit. */
  readonly seconds: number;
}

export const usage = `Sends hostile requests to the whole product, lets its upstreams answer garbage, and judges every answer and process.

  npm run fuzz -- [--seed N] [--requests N] [--from K] [--only K] [--at-once N] [--seconds S]

  --seed      decides every case and every upstream answer; a random one when absent
  --requests  how many to send (default 2000)
  --from      begins with this case, to go on with a run that was stopped (default 1)
  --only      sends this case alone, and prints it with its answers
  --at-once   cases in flight (default 32)
  --seconds   begins no case after so long`;

/** Throws a CommandError that says what is wrong. */
export function parseOptions(args: readonly string[]): FuzzOptions {
  const given = values(args);
  const number = (name: keyof typeof given, fallback: number): number => {
    const text = given[name];
    if (text === undefined) return fallback;
    if (!/^\d{1,9}$/.test(text)) throw new CommandError(`--${name} must be a whole number, not "${text}"\n${usage}`);
    return Number(text);
  };
  const only = given.only === undefined ? null : number('only', 0);
  return {
    seed: number('seed', Math.floor(Math.random() * 1_000_000)),
    from: only ?? number('from', 1),
    requests: number('requests', 2_000),
    only,
    atOnce: Math.max(1, number('at-once', 32)),
    seconds: number('seconds', 0),
  };
}

function values(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ args: [...args], options: { seed: text, requests: text, from: text, only: text, 'at-once': text, seconds: text } })
      .values;
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
  }
}

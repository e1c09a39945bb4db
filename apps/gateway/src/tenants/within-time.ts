import { createContext, Script } from 'node:vm';
import { ExpressionError } from './expression.js';

/**
 * How long expressions may work on one call. A simple one takes a microsecond.
 * @limit a tenant: time that expressions may take for one call; the call is denied
 */
const mostMs = 10;
/** Up to so many values and sixteenths of a character nothing that an expression may do takes long. */
const smallBulk = 500;

const script = new Script('run()');

/**
 * Runs what works on something that others sent, which ends after 10 ms where that is large: such a bound costs 0.1 ms. Throws
 * ExpressionError when it takes longer.
 */
export function withinTime<Result>(looked: unknown, run: () => Result): Result {
  if (bulkOf(looked, smallBulk) <= smallBulk) return run();
  const made: { result?: Result } = {};
  try {
    script.runInContext(createContext({ run: () => (made.result = run()) }), { timeout: mostMs });
  } catch (error) {
    if (isTimeout(error)) throw new ExpressionError(`took more than ${mostMs} ms`);
    throw error;
  }
  return taken(made);
}

function taken<Result>(made: { result?: Result }): Result {
  if (!('result' in made)) throw new TypeError('The script did not run');
  return made.result;
}

/** About how much there is to look at; it stops to count beyond a bound. */
function bulkOf(value: unknown, bound: number): number {
  if (typeof value === 'string') return 1 + value.length / 16;
  if (typeof value !== 'object' || value === null) return 1;
  let bulk = 1;
  for (const key in value) {
    if (bulk > bound) return bulk;
    bulk += bulkOf(Reflect.get(value, key), bound - bulk);
  }
  return bulk;
}

/** It comes from the other context, so it is no Error of this one. */
function isTimeout(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

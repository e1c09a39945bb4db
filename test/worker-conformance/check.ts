import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

/** What a worker did not do. */
export class NotHeld extends Error {
  override readonly name = 'NotHeld';
}

export function hold(isHeld: boolean, what: string): void {
  if (!isHeld) throw new NotHeld(what);
}

/** Throws NotHeld that shows both. */
export function same(given: unknown, wanted: unknown, what: string): void {
  hold(isDeepStrictEqual(given, wanted), `${what} is ${JSON.stringify(given)?.slice(0, 500)}, not ${JSON.stringify(wanted)}`);
}

/** A field of an answer, at any depth. Undefined where it is not. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => z.record(z.string(), z.unknown()).safeParse(at).data?.[key], value);
}

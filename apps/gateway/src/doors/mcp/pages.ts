import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';

/** One part of a list that is put together: of one server, in the order of that server. */
export interface Part<Entry> {
  /** What the parts are in order of. Empty for our own. */
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** Most clients read the first page alone. */
const pageEntries = 1_000;
/** A part and a place in it. */
const place = z.tuple([z.string(), z.int().min(0)]);

/**
 * A page of the parts in the order of their names. A cursor names its place, so a part that comes or goes between two pages moves no other.
 * Throws a ProtocolError for a cursor that is none of ours.
 */
export function pageOf<Entry>(
  parts: readonly Part<Entry>[],
  cursor: string | undefined,
): { readonly entries: Entry[]; readonly nextCursor?: string } {
  const [name, index] = cursor === undefined ? ['', 0] : placeIn(cursor);
  const left = parts
    .filter((part) => part.name >= name)
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((part) => part.entries.map((entry, at) => ({ entry, part: part.name, at })))
    .filter(({ part, at }) => part !== name || at >= index);
  const next = left[pageEntries];
  return {
    entries: left.slice(0, pageEntries).map(({ entry }) => entry),
    ...(next && { nextCursor: Buffer.from(JSON.stringify([next.part, next.at])).toString('base64url') }),
  };
}

function placeIn(cursor: string): readonly [string, number] {
  try {
    return place.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch {
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "'cursor' is none of this list: begin without one");
  }
}

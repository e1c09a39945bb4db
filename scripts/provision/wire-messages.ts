// The part of the Postgres wire protocol that is needed to cut the bytes of a client into groups that can run as one.

/** The part of a socket that is needed here. */
interface Wire extends AsyncIterable<Buffer> {
  readonly write: (text: string) => unknown;
}

export interface Group {
  readonly bytes: Buffer;
  /** False after a Flush: the client sends more before its Sync. */
  readonly isComplete: boolean;
}

const sslRequest = 80_877_103;
const encryptionRequest = 80_877_104;
const cancelRequest = 80_877_102;
/** Simple query, Sync, function call, Flush: each ends a group. */
const ends = new Set(['Q', 'S', 'F', 'H']);

/** Yields complete groups. Reads on only after the last one was handled, so a busy server slows its clients down. */
export async function* readGroups(wire: Wire): AsyncGenerator<Group> {
  let rest: Buffer = Buffer.alloc(0);
  let started = false;
  let pending: Buffer[] = [];
  for await (const chunk of wire) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const size = messageSize(rest, started);
      if (size === undefined || rest.length < size) break;
      const message = rest.subarray(0, size);
      rest = rest.subarray(size);
      if (!started) {
        const code = message.readInt32BE(4);
        // No encryption here, and a running statement cannot be cancelled: it holds the only thread.
        if (code === sslRequest || code === encryptionRequest) wire.write('N');
        else if (code === cancelRequest) return;
        else {
          started = true;
          yield { bytes: message, isComplete: true };
        }
        continue;
      }
      const kind = String.fromCharCode(message[0] ?? 0);
      if (kind === 'X') return;
      pending.push(message);
      if (!ends.has(kind)) continue;
      yield { bytes: Buffer.concat(pending), isComplete: kind !== 'H' };
      pending = [];
    }
  }
}

function messageSize(bytes: Buffer, started: boolean): number | undefined {
  if (started) return bytes.length < 5 ? undefined : 1 + bytes.readInt32BE(1);
  return bytes.length < 8 ? undefined : bytes.readInt32BE(0);
}

/**
 * Named prepared statements live in the one session, so two clients' equal names would meet. Each client's names get its
 * number in front.
 */
export function prefixStatements(group: Buffer, clientId: number): Buffer {
  const out: Buffer[] = [];
  for (let at = 0; at < group.length;) {
    if (group[at] === 0) return group;
    const size = 1 + group.readInt32BE(at + 1);
    out.push(prefixStatement(group.subarray(at, at + size), `c${clientId}_`));
    at += size;
  }
  return Buffer.concat(out);
}

function prefixStatement(message: Buffer, prefix: string): Buffer {
  const at = nameOffset(message);
  // The unnamed statement is made anew in each group and needs no owner.
  if (at === undefined || message[at] === 0) return message;
  const renamed = Buffer.concat([message.subarray(0, at), Buffer.from(prefix), message.subarray(at)]);
  renamed.writeInt32BE(renamed.length - 1, 1);
  return renamed;
}

/** Where a message holds a statement's name: Parse first, Bind after the portal's name, Describe and Close after an 'S'. */
function nameOffset(message: Buffer): number | undefined {
  switch (String.fromCharCode(message[0] ?? 0)) {
    case 'P':
      return 5;
    case 'B':
      return message.indexOf(0, 5) + 1;
    case 'D':
    case 'C':
      return message[5] === 'S'.charCodeAt(0) ? 6 : undefined;
    default:
      return undefined;
  }
}

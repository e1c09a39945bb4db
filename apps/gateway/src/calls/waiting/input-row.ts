import { z } from 'zod';
import { inputKinds, inputStates, relayedRequest, type InputRequest, type RelayedRequest } from '#lib/contracts';
import type { Database } from '#lib/platform';
import { argumentsPurpose, requestPurpose, type Sealer } from '#lib/transport';

export type InputRow = NonNullable<Awaited<ReturnType<Database['inputRequest']['findUnique']>>>;

const kind = z.enum(inputKinds);
const state = z.enum(inputStates);
const object = z.record(z.string(), z.unknown());
const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of an input request. */
export const isInputId = (text: string): boolean => uuidShape.test(text);

/** Null where they are too large to show, or were sealed by a key that is gone: what was decided can be read all the same. */
export function openedArguments(sealer: Pick<Sealer, 'openText'>, row: InputRow): Record<string, unknown> | null {
  if (row.arguments === null) return null;
  try {
    return object.parse(JSON.parse(sealer.openText(row.arguments, argumentsPurpose(row))));
  } catch {
    return null;
  }
}

/** What an outside server asks of the client of a call; null for every other question, and where its key is gone. */
export function openedRequest(sealer: Pick<Sealer, 'openText'>, row: InputRow): RelayedRequest | null {
  if (row.request === null) return null;
  try {
    return relayedRequest.parse(JSON.parse(sealer.openText(row.request, requestPurpose(row))));
  } catch {
    return null;
  }
}

/** Of the content that is asked for; null where nothing but a decision is. */
export function schemaOf({ schema }: Pick<InputRow, 'schema'>): Record<string, unknown> | null {
  return schema === null ? null : object.parse(schema);
}

interface Showing {
  readonly sealer: Pick<Sealer, 'openText'>;
  /** Epoch ms: one that nobody has looked at since its end has expired all the same. */
  readonly now: number;
  /** Where an account is connected, for the caller who is asked; null for everybody else. */
  readonly addressOf: ((id: string) => string) | null;
}

export function shownInputRequest(row: InputRow, { sealer, now, addressOf }: Showing): InputRequest {
  const isOpen = row.state === 'open' && row.expiresAt.getTime() > now;
  return {
    id: row.id,
    kind: kind.parse(row.kind),
    job_id: row.jobId,
    tool_name: row.tool,
    message: row.message,
    schema: schemaOf(row),
    ...(row.request !== null && addressOf && { request: openedRequest(sealer, row) }),
    arguments: openedArguments(sealer, row),
    requested_by: row.requestedBy,
    ...(row.kind === 'connection' && { url: isOpen && addressOf ? addressOf(row.id) : null }),
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    state: row.state === 'open' && row.expiresAt.getTime() <= now ? 'expired' : state.parse(row.state),
    decided_by: row.decidedBy,
    decided_at: row.decidedAt?.toISOString() ?? null,
    reason: row.reason,
  };
}

import { z } from 'zod';
import { inputKinds, inputStates, principal, redactWhole, type InputKind, type InputRequest, type ToolContract } from '#lib/contracts';
import type { Database } from '#lib/platform';
import type { InvocationHead, Sealer } from '#lib/transport';

export type InputRow = NonNullable<Awaited<ReturnType<Database['inputRequest']['findUnique']>>>;

/** The most bytes of parameters that are shown. */
const maxShownBytes = 65_536;

const kind = z.enum(inputKinds);
const state = z.enum(inputStates);
const object = z.record(z.string(), z.unknown());
const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text can be the id of an input request. */
export const isInputId = (text: string): boolean => uuidShape.test(text);

/** What its sealed arguments are bound to. */
function argumentsPurpose({ id, tenantId }: Pick<InputRow, 'id' | 'tenantId'>): string {
  return `input request of ${JSON.stringify([tenantId, id])}`;
}

/** Arguments as a row has them; null where they are too large. @param masked what people may see of them */
export function sealedArguments(sealer: Pick<Sealer, 'sealText'>, row: Pick<InputRow, 'id' | 'tenantId'>, masked: unknown): string | null {
  const text = JSON.stringify(masked);
  return Buffer.byteLength(text) > maxShownBytes ? null : sealer.sealText(text, argumentsPurpose(row));
}

/** By then a call that was asked about is there, or rests, or never will. */
export const acceptedWithinMs = 10_000;

/** The call that somebody is asked about. */
export interface AskedCall {
  readonly jobId: string;
  readonly head: InvocationHead;
  readonly contract: ToolContract;
}

interface AskedRow {
  readonly id: string;
  readonly kind: InputKind;
  readonly message: string;
  /** Whether the caller themselves may decide. */
  readonly selfDecides: boolean;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly until: number;
}

/** What is stored of a request when it is put, but the schema of a question. */
export function askedRow(
  sealer: Pick<Sealer, 'sealText'>,
  { jobId, head, contract }: AskedCall,
  { id, createdAt, until, ...asked }: AskedRow,
) {
  const row = { id, tenantId: head.caller.tenantId };
  return {
    ...row,
    ...asked,
    jobId,
    tool: contract.name,
    arguments: sealedArguments(sealer, row, redactWhole(contract.input, head.input)),
    requestedBy: principal(head.caller),
    createdAt: new Date(createdAt),
    expiresAt: new Date(until),
    lookAt: new Date(createdAt + acceptedWithinMs),
  };
}

/** Null where they are too large to show, or were sealed by a key that is gone: what was decided can be read all the same. */
export function openedArguments(sealer: Pick<Sealer, 'openText'>, row: InputRow): Record<string, unknown> | null {
  if (row.arguments === null) return null;
  try {
    return object.parse(JSON.parse(sealer.openText(row.arguments, argumentsPurpose(row))));
  } catch {
    return null;
  }
}

/** Of the content that is asked for; null where nothing but a decision is. */
export function schemaOf({ schema }: Pick<InputRow, 'schema'>): Record<string, unknown> | null {
  return schema === null ? null : object.parse(schema);
}

/** @param now epoch ms: one that nobody has looked at since its end has expired all the same */
export function shownInputRequest(sealer: Pick<Sealer, 'openText'>, row: InputRow, now: number): InputRequest {
  return {
    id: row.id,
    kind: kind.parse(row.kind),
    job_id: row.jobId,
    tool_name: row.tool,
    message: row.message,
    schema: schemaOf(row),
    arguments: openedArguments(sealer, row),
    requested_by: row.requestedBy,
    created_at: row.createdAt.toISOString(),
    expires_at: row.expiresAt.toISOString(),
    state: row.state === 'open' && row.expiresAt.getTime() <= now ? 'expired' : state.parse(row.state),
    decided_by: row.decidedBy,
    decided_at: row.decidedAt?.toISOString() ?? null,
    reason: row.reason,
  };
}

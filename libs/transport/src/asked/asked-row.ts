// The row of an input request as whoever asks writes it: a gateway, or the worker of a tool that asks.
import { principal, redactWhole, type InputKind, type ToolContract } from '#lib/contracts';
import type { Database } from '#lib/platform';
import type { CallHead } from '../record/codec.js';
import type { Sealer } from '../record/sealing.js';

export type NewInputRow = Parameters<Database['inputRequest']['create']>[0]['data'];

/** The most bytes of parameters that are shown. */
const maxShownBytes = 65_536;

/** By then a call that was asked about is there, or rests, or never will. */
export const acceptedWithinMs = 10_000;

interface OwnedRow {
  readonly id: string;
  readonly tenantId: string;
}

/** What the sealed arguments of a row are bound to. */
export function argumentsPurpose({ id, tenantId }: OwnedRow): string {
  return `input request of ${JSON.stringify([tenantId, id])}`;
}

/** The same of what an outside server asks. */
export function requestPurpose({ id, tenantId }: OwnedRow): string {
  return `request in input request of ${JSON.stringify([tenantId, id])}`;
}

/** Arguments as a row has them; null where they are too large. @param masked what people may see of them */
export function sealedArguments(sealer: Pick<Sealer, 'sealText'>, row: OwnedRow, masked: unknown): string | null {
  const text = JSON.stringify(masked);
  return Buffer.byteLength(text) > maxShownBytes ? null : sealer.sealText(text, argumentsPurpose(row));
}

/** The call that somebody is asked about. */
export interface AskedCall {
  readonly jobId: string;
  readonly head: CallHead;
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
  /** For a connection. */
  readonly provider?: string;
  readonly scopes?: string[];
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

/** Where input requests are stored. */
export interface AskedStore {
  readonly database: Pick<Database, 'inputRequest'>;
  /** Of the calls in Redis: rows of others are none of its own. */
  readonly namespace: string;
}

/** Nothing happens where it is there already. Rejects when Postgres is away. */
export async function storeAsked({ database, namespace }: AskedStore, row: NewInputRow): Promise<void> {
  await database.inputRequest.createMany({ data: [{ ...row, namespace }], skipDuplicates: true });
}

import type { MemotreeLiteral } from '#lib/contracts';

/** An operation is refused, with a literal of the closed list (MT-15). `operation.ts` turns it into the refusal of the call. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly literal: MemotreeLiteral;
  /** Further public fields of the error, such as the conflicts. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  constructor(literal: MemotreeLiteral, message: string, extra?: Readonly<Record<string, unknown>>) {
    super(message);
    this.literal = literal;
    this.extra = extra;
  }
}

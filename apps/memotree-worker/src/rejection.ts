import type { MemotreeLiteral } from '#lib/contracts';

/** A no of the tree itself, with its literal of the closed list (MT-15). The operation's handler answers with it. */
export class Rejection extends Error {
  override readonly name = 'Rejection';
  readonly literal: MemotreeLiteral;
  /** Public fields of the error, such as what differs. */
  readonly extra: Readonly<Record<string, unknown>> | undefined;

  constructor(literal: MemotreeLiteral, message: string, extra?: Readonly<Record<string, unknown>>) {
    super(message);
    this.literal = literal;
    this.extra = extra;
  }
}

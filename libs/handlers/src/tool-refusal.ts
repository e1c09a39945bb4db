import type { ToolError } from '#lib/contracts';

/** A handler refuses with a literal of its contract. That is a result: the invocation ends, and nothing is tried again. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.message);
    this.error = error;
  }
}

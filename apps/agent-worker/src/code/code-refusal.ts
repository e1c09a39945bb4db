import type { runCode, ToolLiteral } from '#lib/contracts';

/** Why code is not run to its end, in the words of the tool. */
export class CodeRefusal extends Error {
  override readonly name = 'CodeRefusal';
  readonly literal: ToolLiteral<typeof runCode>;

  constructor(literal: ToolLiteral<typeof runCode>, message: string) {
    super(message);
    this.literal = literal;
  }
}

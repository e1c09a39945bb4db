const kinds = {
  rejection: 'a promise that nobody awaits was rejected',
  exception: 'an error was thrown where nobody catches it, as in a timer or an event',
  exit: 'a tool must not end the process, which runs the others too',
} as const;

/** What a tool threw where nobody waits for it, or did to the process of all tools. */
export class StrayFault extends Error {
  override readonly name = 'StrayFault';

  constructor(kind: keyof typeof kinds, cause: unknown) {
    super(`${kinds[kind]}: ${cause instanceof Error ? String(cause) : `${typeof cause} ${String(cause)}`}`, { cause });
    // Where it was thrown, not where it was found.
    if (cause instanceof Error && cause.stack) this.stack = `${this.name}: ${this.message}\n${framesOf(cause.stack)}`;
  }
}

function framesOf(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

/** A command of the worker ended before it had answered. What it wrote last says more than its exit. */
export class CommandEnded extends Error {
  override readonly name = 'CommandEnded';

  constructor(lastWords: string, options: ErrorOptions) {
    super(`did not start; the last that it wrote: ${lastWords.replaceAll(/\s+/g, ' ').toWellFormed()}`, options);
  }
}

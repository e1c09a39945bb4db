import { logAttribute } from '#lib/platform';
import { shownText, type LogLevel } from '#lib/handlers';

/**
 * Lines and characters of one attempt. A span is held by the trace store with thousands of others.
 * @limit calls: lines that an attempt may log; further lines are counted
 */
const maxLines = 50;
/** @limit calls: characters of all lines of an attempt; further lines are counted */
const maxCharacters = 4_096;

/** What the handler of one attempt logs, as the attempt's span shows it: the first lines, each with its time in the attempt. */
export class AttemptLog {
  readonly #startedAt = performance.now();
  readonly #lines: string[] = [];
  #characters = 0;
  #left = 0;

  add(level: LogLevel, message: string): void {
    const line = `${Math.round(performance.now() - this.#startedAt)} ms ${level}: ${shownText(message)}`;
    // Once one is left out, so are all after it: what is shown has no gaps.
    if (this.#left > 0 || this.#lines.length >= maxLines || this.#characters + line.length > maxCharacters) {
      this.#left += 1;
      return;
    }
    this.#lines.push(line);
    this.#characters += line.length;
  }

  /** Empty when nothing was logged. */
  get attributes(): Readonly<Record<string, string[]>> {
    if (this.#lines.length === 0) return {};
    return { [logAttribute]: this.#left > 0 ? [...this.#lines, `… ${this.#left} more in the log`] : [...this.#lines] };
  }
}

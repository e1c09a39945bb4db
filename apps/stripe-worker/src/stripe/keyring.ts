import { readFileSync, statSync } from 'node:fs';

interface KeySource {
  /** Comma-separated. */
  readonly keys?: string | undefined;
  /** A file that holds them instead, one a line or comma-separated; read again when it changes. */
  readonly file?: string | undefined;
}

/** How often the file is looked at, at most. */
const lookEveryMs = 500;

/**
 * The API keys of one purpose. The first one is used until Stripe refuses it, then the next: so a key can be changed while
 * everything runs, by naming the new one beside the old, or by writing it into the file.
 */
export class Keyring {
  readonly #file: string | undefined;
  #keys: readonly string[];
  #refused = new Set<string>();
  #stamp = '';
  #lookedAt = 0;

  constructor({ keys = '', file }: KeySource) {
    this.#file = file;
    this.#keys = listOf(keys);
  }

  /** The key to use now; null when there is none. */
  current(now = Date.now()): string | null {
    this.#look(now);
    return this.#keys.find((key) => !this.#refused.has(key)) ?? this.#keys[0] ?? null;
  }

  /** Notes that Stripe refused a key. @returns whether another one is left to be tried */
  refuse(key: string): boolean {
    this.#refused.add(key);
    return this.#keys.some((one) => !this.#refused.has(one));
  }

  #look(now: number): void {
    if (!this.#file || now - this.#lookedAt < lookEveryMs) return;
    this.#lookedAt = now;
    // A file that is being replaced may be away for a moment; the keys that are known stay.
    const { mtimeMs, size } = statSync(this.#file, { throwIfNoEntry: false }) ?? {};
    const stamp = `${mtimeMs}:${size}`;
    if (mtimeMs === undefined || stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#keys = listOf(readFileSync(this.#file, 'utf8'));
    this.#refused = new Set();
  }
}

function listOf(text: string): readonly string[] {
  return text
    .split(/[\s,]+/)
    .map((key) => key.trim())
    .filter(Boolean);
}

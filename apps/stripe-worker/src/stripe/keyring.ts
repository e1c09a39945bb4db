import { readFileSync, statSync } from 'node:fs';

interface KeySource {
  /** Comma-separated. */
  readonly keys?: string | undefined;
  /** A file that holds them instead, one a line or comma-separated; read again when it changes. */
  readonly file?: string | undefined;
}

/** The file is checked for changes at most this often. */
const checkIntervalMs = 500;

/**
 * The API keys for one purpose. The first one is used until Stripe rejects it, then the next. So a key can be replaced while the worker
 * runs: by configuring the new one beside the old, or by writing it into the file.
 */
export class Keyring {
  readonly #file: string | undefined;
  #keys: readonly string[];
  #rejected = new Set<string>();
  #stamp = '';
  #checkedAt = 0;

  constructor({ keys = '', file }: KeySource) {
    this.#file = file;
    this.#keys = listOf(keys);
  }

  /** The key to use now; null if there is none. @param now epoch milliseconds */
  current(now = Date.now()): string | null {
    this.#reload(now);
    return this.#keys.find((key) => !this.#rejected.has(key)) ?? this.#keys[0] ?? null;
  }

  /** Marks a key as rejected by Stripe. @returns whether another key is left to try */
  reject(key: string): boolean {
    this.#rejected.add(key);
    return this.#keys.some((one) => !this.#rejected.has(one));
  }

  #reload(now: number): void {
    if (!this.#file || now - this.#checkedAt < checkIntervalMs) return;
    this.#checkedAt = now;
    // While the file is being replaced it may be missing for a moment; the known keys stay.
    const { mtimeMs, size } = statSync(this.#file, { throwIfNoEntry: false }) ?? {};
    const stamp = `${mtimeMs}:${size}`;
    if (mtimeMs === undefined || stamp === this.#stamp) return;
    this.#stamp = stamp;
    this.#keys = listOf(readFileSync(this.#file, 'utf8'));
    this.#rejected = new Set();
  }
}

function listOf(text: string): readonly string[] {
  return text
    .split(/[\s,]+/)
    .map((key) => key.trim())
    .filter(Boolean);
}

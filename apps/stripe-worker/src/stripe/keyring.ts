import { readFileSync, statSync } from 'node:fs';

interface KeySource {
  /** Comma-separated. */
  readonly keys?: string | undefined;
  /** A file that holds them instead, one a line or comma-separated; read again when it changes. */
  readonly file?: string | undefined;
}

/** How often the file is looked at, at most. */
const checkIntervalMs = 500;

/**
 * The API keys of one purpose. The first one is used until Stripe refuses it, then the next: so a key can be changed while
 * everything runs, by naming the new one beside the old, or by writing it into the file.
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

  /** The key to use now; null when there is none. */
  current(now = Date.now()): string | null {
    this.#reload(now);
    return this.#keys.find((key) => !this.#rejected.has(key)) ?? this.#keys[0] ?? null;
  }

  /** Notes that Stripe refused a key. @returns whether another one is left to be tried */
  reject(key: string): boolean {
    this.#rejected.add(key);
    return this.#keys.some((one) => !this.#rejected.has(one));
  }

  #reload(now: number): void {
    if (!this.#file || now - this.#checkedAt < checkIntervalMs) return;
    this.#checkedAt = now;
    // A file that is being replaced may be away for a moment; the keys that are known stay.
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

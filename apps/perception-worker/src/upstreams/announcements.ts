interface AnnouncementsParts {
  /** How long the first waits for others, and how often there is one at most, in ms. */
  readonly firstMs: number;
  readonly everyMs: number;
  readonly send: (id: string) => Promise<unknown>;
}

/** So many ids are remembered; those that were sent long ago go then. */
const mostIds = 10_000;

/** Tells of changes, soon and not too often: many of one thing are told once, and the last is never lost. */
export class Announcements {
  readonly #parts: AnnouncementsParts;
  /** When it is sent, or was last, by `performance.now`. */
  readonly #at = new Map<string, number>();

  constructor(parts: AnnouncementsParts) {
    this.#parts = parts;
  }

  changed(id: string): void {
    const { firstMs, everyMs, send } = this.#parts;
    const now = performance.now();
    const last = this.#at.get(id) ?? -Infinity;
    if (last > now) return;
    if (this.#at.size >= mostIds) for (const [known, at] of this.#at) if (at + everyMs < now) this.#at.delete(known);
    const at = Math.max(now + firstMs, last + everyMs);
    this.#at.set(id, at);
    // Without it others look again after a while.
    setTimeout(() => void send(id).catch(() => undefined), at - now).unref();
  }
}

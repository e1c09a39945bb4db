/** What nobody uses now, the longest left first: ended after a while, and before where there are too many. */
export class LeftSessions<Session> {
  readonly #limits: { readonly most: number; readonly idleMs: number };
  readonly #end: (session: Session) => void;
  /** When each was left, by the clock of `performance`. */
  readonly #since = new Map<Session, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: { readonly most: number; readonly idleMs: number }, end: (session: Session) => void) {
    this.#limits = limits;
    this.#end = end;
  }

  left(session: Session): void {
    const { most, idleMs } = this.#limits;
    this.#since.set(session, performance.now());
    for (const oldest of this.#since.keys()) {
      if (this.#since.size <= most) break;
      this.#ended(oldest);
    }
    this.#timer ??= setInterval(() => this.#sweep(), idleMs / 4).unref();
  }

  /** Somebody uses it, or it has ended. */
  took(session: Session): void {
    this.#since.delete(session);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#since.clear();
  }

  #sweep(): void {
    const now = performance.now();
    for (const [session, since] of this.#since) {
      if (now - since < this.#limits.idleMs) break;
      this.#ended(session);
    }
  }

  #ended(session: Session): void {
    this.#since.delete(session);
    this.#end(session);
  }
}

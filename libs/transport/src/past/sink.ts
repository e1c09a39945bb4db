/**
 * Carries what happens to calls to what keeps lists and counts of it. Like spans, this is beside the calls: nothing waits for it. One
 * consumer of each app in this process: any of them takes all, the others take over when it ends.
 */
export class Sink<Event> {
  readonly #consumers = new Set<(event: Event) => void>();

  /** @returns ends it: the consumer gets nothing more */
  attach(consumer: (event: Event) => void): () => void {
    this.#consumers.add(consumer);
    return () => void this.#consumers.delete(consumer);
  }

  push(event: Event): void {
    const [consumer] = this.#consumers;
    consumer?.(event);
  }
}

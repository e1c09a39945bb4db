/** Carries what happens to calls to what keeps lists and counts of it. Like spans, this is beside the calls: nothing waits for it. */
export class Sink<Event> {
  #consumer: ((event: Event) => void) | null = null;

  /** @returns ends it: the consumer gets nothing more */
  attach(consumer: (event: Event) => void): () => void {
    this.#consumer = consumer;
    return () => void (this.#consumer = null);
  }

  push(event: Event): void {
    this.#consumer?.(event);
  }
}

/** The most calls of a group: a script of so many holds Redis for about a millisecond. */
export const mostTogether = 16;
/** And the most characters that they have, unless it is a single one. */
const mostCharacters = 256 * 1_024;

interface GroupsParts<Item, Reply> {
  /** Sends a group. The replies have the order of the items; an Error is for that item alone. */
  readonly send: (items: readonly Item[]) => Promise<readonly (Reply | Error)[]>;
  readonly charactersOf: (item: Item) => number;
}

interface Waiting<Item, Reply> {
  readonly item: Item;
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends in groups, as databases commit: what comes while a group is on its way goes together as the next one. What comes alone goes at once,
 * with what came in the same turn of the event loop. The order in which items came is kept.
 */
export class Groups<Item, Reply> {
  readonly #parts: GroupsParts<Item, Reply>;
  readonly #waiting: Waiting<Item, Reply>[] = [];
  #isBusy = false;

  constructor(parts: GroupsParts<Item, Reply>) {
    this.#parts = parts;
  }

  /** Rejects as `send` does, for every item of the group. */
  async add(item: Item): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#isBusy) return;
      this.#isBusy = true;
      setImmediate(() => void this.#sendAll());
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#waiting.length > 0) await this.#send(this.#next());
    this.#isBusy = false;
  }

  async #send(group: readonly Waiting<Item, Reply>[]): Promise<void> {
    try {
      const replies = await this.#parts.send(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        const reply = replies[index];
        if (reply === undefined) reject(new TypeError('A group has fewer replies than calls'));
        else if (reply instanceof Error) reject(reply);
        else resolve(reply);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  #next(): readonly Waiting<Item, Reply>[] {
    let characters = 0;
    const size = this.#waiting.findIndex(({ item }, index) => {
      characters += this.#parts.charactersOf(item);
      return index === mostTogether || (index > 0 && characters > mostCharacters);
    });
    return this.#waiting.splice(0, size === -1 ? this.#waiting.length : size);
  }
}

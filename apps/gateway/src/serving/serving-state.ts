import { BusyDomains, ServedPresence, type ConnectedDomain, type Followers, type ServedName } from '#lib/transport';
import { Withdrawn } from './withdrawn.js';

interface ServingStateParts {
  readonly presence: Pick<ServedPresence, 'present' | 'connected'>;
  readonly busy: Pick<BusyDomains, 'isFresh' | 'note' | 'list'>;
  readonly followers: Pick<Followers, 'include' | 'includes' | 'exclude'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

/** Who serves what now, over all gateways, and which queues need to be looked after. */
export class ServingState {
  readonly #parts: ServingStateParts;
  readonly #withdrawn = new Withdrawn();
  /** Queues whose calls are followed here. */
  readonly #followed = new Set<string>();
  #present: ReadonlySet<string> = new Set();
  #presentQueues: ReadonlySet<string> = new Set();
  #busy: ReadonlySet<string> = new Set();
  #connected: readonly ConnectedDomain[] = [];

  constructor(parts: ServingStateParts) {
    this.#parts = parts;
  }

  /** What all gateways say of the workers that are connected to them. */
  get connected(): readonly ConnectedDomain[] {
    return this.#connected;
  }

  /** The queues that a worker serves, or that may hold calls. */
  get queues(): readonly string[] {
    return [...new Set([...this.#presentQueues, ...this.#busy])];
  }

  /** Those of them that no worker serves. */
  get unserved(): readonly string[] {
    return without(this.#busy, this.#presentQueues);
  }

  /** @param field as `ServedPresence.fieldOf` */
  isServed(field: string): boolean {
    return this.#present.has(field);
  }

  servesQueue(queue: string): boolean {
    return this.#presentQueues.has(queue);
  }

  /**
   * Looks anew. Rejects when Redis is away: then it stays as it was.
   * @returns what is served now and was not, or the other way round; and whether the queues are others
   */
  async look(): Promise<{ readonly changed: readonly string[]; readonly areQueuesOthers: boolean }> {
    const { presence, busy, followers } = this.#parts;
    const now = this.#parts.now();
    const [present, connected, noted] = await Promise.all([presence.present(now), presence.connected(now), busy.list()]);
    const before = { present: this.#present, queues: new Set(this.queues) };
    this.#present = new Set(without(present, this.#withdrawn.look(present, connected, now)));
    this.#presentQueues = new Set([...present].map((field) => field.split(' ', 1)[0] ?? ''));
    this.#connected = connected;
    this.#busy = new Set(noted);
    const queues = new Set(this.queues);
    await followers.exclude(without(this.#followed, queues));
    for (const queue of this.#followed) if (!followers.includes(queue)) this.#followed.delete(queue);
    return {
      changed: [...without(this.#present, before.present), ...without(before.present, this.#present)],
      areQueuesOthers: without(queues, before.queues).length > 0 || without(before.queues, queues).length > 0,
    };
  }

  /** Before a call of a queue is accepted: those who look after calls know of it, and its end is heard. @returns null where that is so */
  accepting(queue: string): Promise<void> | null {
    const { busy, followers } = this.#parts;
    return busy.isFresh(queue) && followers.includes(queue) ? null : this.#open(queue);
  }

  async #open(queue: string): Promise<void> {
    const { busy, followers } = this.#parts;
    await busy.note(queue);
    this.#busy = new Set([...this.#busy, queue]);
    this.#followed.add(queue);
    await followers.include([queue]);
  }
}

/** What a gateway says that it serves. */
export function servedIn({ queue, tools }: ConnectedDomain): readonly ServedName[] {
  return tools.map((tool) => {
    const [name = '', version = ''] = tool.split('@');
    return { queue, name, version };
  });
}

function without(all: ReadonlySet<string>, others: ReadonlySet<string>): readonly string[] {
  return [...all].filter((one) => !others.has(one));
}

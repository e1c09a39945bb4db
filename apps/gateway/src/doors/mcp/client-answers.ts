import { isJSONRPCResponse, type JSONRPCResponse } from '@modelcontextprotocol/server';
import { principal, type Caller } from '#lib/contracts';
import type { Stores } from '../../stores.js';

type Take = (answer: JSONRPCResponse) => void;

/**
 * Brings the answer of a client of the older revisions to the gateway that asked. Each request to a client has a channel of its own,
 * named by the request's id and by whose call it belongs to. So an answer goes to one gateway at most, and one that nobody waits for,
 * or of another caller, goes nowhere.
 */
export class ClientAnswers {
  readonly #waiting = new Map<string, Take>();

  constructor(private readonly stores: Pick<Stores, 'redis' | 'subscriber' | 'keys'>) {
    stores.subscriber.on('message', (channel, text) => {
      const take = this.#waiting.get(channel);
      if (!take) return;
      // A second answer finds nobody.
      this.#waiting.delete(channel);
      const answer: unknown = JSON.parse(text);
      if (isJSONRPCResponse(answer)) take(answer);
    });
  }

  /** Waits for the first answer to the request of this id, from now until disposed. */
  async expect(caller: Caller, id: string, take: Take): Promise<Disposable> {
    const { subscriber } = this.stores;
    const channel = this.#channelOf(caller, id);
    await subscriber.subscribe(channel);
    this.#waiting.set(channel, take);
    return {
      [Symbol.dispose]: () => {
        this.#waiting.delete(channel);
        // Of a connection that has ended nothing is left to unsubscribe from.
        subscriber.unsubscribe(channel).catch(() => undefined);
      },
    };
  }

  /** Hands over an answer that a client has sent. Throws while Redis is away, so that the client may send it again. */
  async deliver(caller: Caller, answer: JSONRPCResponse): Promise<void> {
    // The ids that we give are text.
    if (typeof answer.id !== 'string') return;
    await this.stores.redis.publish(this.#channelOf(caller, answer.id), JSON.stringify(answer));
  }

  #channelOf(caller: Caller, id: string): string {
    return this.stores.keys.mcpAnswer([principal(caller), id]);
  }
}

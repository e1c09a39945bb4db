import { ProtocolError, type Client } from '@modelcontextprotocol/client';
import { saysUnknownSession } from './upstream-failure.js';

const askMs = 10_000;
/** How often it is looked whether a session still holds, in ms. */
const checkMs = 10_000;

/** The resources of one server whose changes it tells on one connection. */
export class McpSubscriptions {
  readonly #client: Client;
  #uris = new Set<string>();
  /** Of a revision without sessions: what is listened for is one request. */
  #listening: Awaited<ReturnType<Client['listen']>> | null = null;
  #onUpdated: (uri: string) => void = () => undefined;
  #checkedAt = 0;

  constructor(client: Client) {
    this.#client = client;
    client.setNotificationHandler('notifications/resources/updated', ({ params: { uri } }) => {
      // A server may say what it likes: nobody asked for the others.
      if (this.#uris.has(uri)) this.#onUpdated(uri);
    });
  }

  /**
   * Listens for these, and for no others any more. One that the server refuses counts as listened for.
   * @returns those that are new on this connection
   */
  async set(uris: ReadonlySet<string>, onUpdated: (uri: string) => void): Promise<readonly string[]> {
    this.#onUpdated = onUpdated;
    if (this.#client.getServerCapabilities()?.resources?.subscribe !== true) return [];
    const added = [...uris].filter((uri) => !this.#uris.has(uri));
    const removed = [...this.#uris].filter((uri) => !uris.has(uri));
    if (added.length + removed.length === 0) {
      await this.#check();
      return [];
    }
    this.#checkedAt = performance.now();
    if (this.#client.getProtocolEra() === 'modern') await this.#listen(uris);
    else {
      for (const uri of added) await this.#ask('resources/subscribe', uri);
      for (const uri of removed) await this.#ask('resources/unsubscribe', uri);
    }
    return added;
  }

  /** A server that was started again does not know the session, and would never say so. */
  async #check(): Promise<void> {
    if (this.#uris.size === 0 || this.#client.getProtocolEra() === 'modern' || performance.now() - this.#checkedAt < checkMs) return;
    this.#checkedAt = performance.now();
    await this.#client.ping({ timeout: askMs });
  }

  async #listen(uris: ReadonlySet<string>): Promise<void> {
    const before = this.#listening;
    this.#uris = new Set(uris);
    const listening = uris.size === 0 ? null : await this.#client.listen({ resourceSubscriptions: [...uris] }, { timeout: askMs });
    this.#listening = listening;
    await before?.close();
    // A stream that ends is opened again by the next round.
    void listening?.closed.then(() => {
      if (this.#listening === listening) this.#uris = new Set();
    });
  }

  async #ask(method: 'resources/subscribe' | 'resources/unsubscribe', uri: string): Promise<void> {
    if (method === 'resources/subscribe') this.#uris.add(uri);
    else this.#uris.delete(uri);
    try {
      await this.#client.request({ method, params: { uri } }, { timeout: askMs });
    } catch (error) {
      if (error instanceof ProtocolError && !saysUnknownSession(error)) return;
      this.#uris.delete(uri);
      throw error;
    }
  }
}

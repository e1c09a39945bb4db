import { outsideServerId, type OutsideServer } from '#lib/contracts';
import { addressMs } from './kept-listening.js';
import { orAborted } from './or-aborted.js';
import type { ServerAccount } from './server-account.js';
import type { Upstream, UpstreamCall } from './upstream.js';

/** One to an outside server, and who uses it. */
export interface Connection {
  /** Of its server, and of whom it is for. */
  readonly key: string;
  /** Whether it is for the calls of one user alone. */
  readonly isOwn: boolean;
  /** Null for a server that is asked for all users alike. */
  readonly account: ServerAccount | null;
  readonly upstream: Promise<Upstream>;
  /** Ends the attempt to connect. It serves every call that waits for it, so none of them may end it alone. */
  readonly giveUp: () => void;
  /** As it was approved when it was opened. After a new approval the server may have another address. */
  readonly server: OutsideServer;
  /** Takes long to start, so it goes on where nobody waits for it any more. */
  readonly isCommand: boolean;
  isOpen: boolean;
  checkedAt: number;
  /** Calls that use it now. A connection that was dropped is closed after the last of them. */
  calls: number;
  /** Failures of the server since its last answer. */
  faults: number;
  /** Somebody was asked to open an address: its server may tell until then that they are done, by `performance.now`. */
  addressUntil: number;
  /** One call at a time, where it would not be known which of them the server means. */
  readonly turns: Turns | null;
}

/** What a server has asked within one call, and nobody has answered. */
export class OpenQuestions {
  readonly asked: Pick<UpstreamCall, 'onQuestion' | 'onRequest' | 'onAddress'>;
  readonly #connection: Connection;
  #open = 0;
  #addresses = 0;

  constructor(connection: Connection, call: Pick<UpstreamCall, 'onQuestion' | 'onRequest' | 'onAddress'>) {
    this.#connection = connection;
    this.asked = {
      onQuestion: async (question) => this.#during(call.onQuestion(question)),
      onRequest: async (request) => this.#during(call.onRequest(request)),
      onAddress: async (question) => {
        connection.addressUntil = performance.now() + addressMs;
        this.#addresses += 1;
        const answer = await this.#during(call.onAddress(question));
        this.#addresses -= 1;
        return answer;
      },
    };
  }

  /**
   * Whether the connection of a call that rests is used again. A command has to live while somebody is at an address: it may be its memory that
   * knows when they are done. One that is for one caller has asked that caller alone.
   */
  get keepIt(): boolean {
    const { isCommand, isOwn } = this.#connection;
    return isCommand && (this.#addresses > 0 || (isOwn && this.#open > 0));
  }

  async #during<Result>(answer: Promise<Result>): Promise<Result> {
    this.#open += 1;
    const result = await answer;
    this.#open -= 1;
    return result;
  }
}

/** Lets one at a time through, in the order in which they came. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects for whoever leaves before their turn. */
  async take<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = before.then(() => promise);
    try {
      await orAborted(before, signal);
      return await work();
    } finally {
      resolve();
    }
  }
}

export function connectionKey(
  server: OutsideServer,
  { account, owner }: { readonly account?: string | undefined; readonly owner?: string | undefined },
): string {
  return JSON.stringify([outsideServerId(server), account, owner]);
}

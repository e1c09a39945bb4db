import { outsideServerId, type OutsideServer, type ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { Failure, failureKindOf } from '#lib/handlers';
import { OpenQuestions, type Connection } from './connection.js';
import { changesSince } from './definition-changes.js';
import { orAborted } from './or-aborted.js';
import { requireMeant, type UsedAccount } from './server-account.js';
import { cannotHaveRun, saysUnknownSession, unreadable, upstreamFailure } from './upstream-failure.js';
import { UpstreamPool, type UpstreamPoolParts } from './upstream-pool.js';
import type { Offers, Upstream, UpstreamAnswer, UpstreamCall } from './upstream.js';

interface UpstreamsParts extends UpstreamPoolParts {
  /** How long a comparison of the definitions with the approved ones holds, in ms. */
  readonly recheckMs: number;
  readonly log: Logger;
}

type Approved = NonNullable<ToolContract['upstream']>;

interface Open {
  readonly approved: OutsideServer;
  readonly connection: Connection;
  readonly upstream: Upstream;
}

type Called = UpstreamAnswer | { readonly kind: 'changed'; readonly reason: string };
type Addressed = Pick<Approved, 'tenant' | 'server' | 'approval'>;

/** For whom a question is asked, and until when. */
export interface Asking {
  readonly signal: AbortSignal;
  /** The principal whose roots the server may learn: it keeps them for the connection. Absent where it may not. */
  readonly owner?: string | undefined;
  /** Null for a server that needs none. */
  readonly account: UsedAccount | null;
}

/** What is listened for, and with which account; null for a server that needs none. */
interface Watched {
  readonly uris: ReadonlySet<string>;
  readonly account: UsedAccount | null;
}

interface Waiting {
  readonly signal: AbortSignal;
  /** Whether the connection is good though nobody waits for this answer any more. */
  readonly isKept?: () => boolean;
}

/** For a server to be reached and to take subscriptions, in ms. */
const watchMs = 20_000;
/** After so many failures of a server in a row its connection is not used again: it may be what is wrong. */
const mostFaults = 2;
/**
 * Uses of outside servers. Before a call the definitions are compared with the approved ones from time to time. A tool whose definition has
 * changed is suspended and not called.
 */
export class Upstreams {
  readonly #parts: UpstreamsParts;
  readonly #pool: UpstreamPool;

  constructor(parts: UpstreamsParts) {
    this.#parts = parts;
    this.#pool = new UpstreamPool(parts);
  }

  /**
   * Calls a tool. @returns its answer, or the reason why it is suspended
   * @throws Failure if the server cannot be reached or misbehaves
   */
  async call(addressed: Addressed, call: UpstreamCall): Promise<Called> {
    return this.#again(call.signal, async () => this.#callOnce(addressed, call));
  }

  /**
   * Uses what a server has besides tools. Nobody has approved it, so nothing is compared.
   * @throws Failure if the server cannot be reached, misbehaves, or speaks another protocol
   */
  async ask<Answer>(addressed: Addressed, { signal, account }: Asking, use: (offers: Offers) => Promise<Answer>): Promise<Answer> {
    const askOnce = async ({ connection, upstream }: Open): Promise<Answer> => {
      if (!upstream.offers) throw new Failure('service', `${addressed.server} is no server of MCP`);
      const answer = await this.#asked(connection, orAborted(use(upstream.offers), signal), { signal });
      connection.faults = 0;
      return answer;
    };
    try {
      return await this.#again(signal, async () => this.#connected(await this.#approved(addressed), { signal, account }, askOnce));
    } catch (error) {
      const id = outsideServerId({ tenantId: addressed.tenant, name: addressed.server });
      this.#parts.log.warn({ event: 'outside-offers-fault', server: id, err: error }, 'an outside server could not be asked');
      throw error;
    }
  }

  /**
   * Listens for changes of these resources of a server, and of no others any more; with none, no connection is opened.
   * @returns those that are new on the connection. Throws a Failure.
   */
  async watch(server: OutsideServer, { uris, account }: Watched, onUpdated: (uri: string) => void): Promise<readonly string[]> {
    const isOpen = this.#pool.has(server, account);
    if (uris.size === 0 && !isOpen) return [];
    const signal = AbortSignal.timeout(watchMs);
    return this.#again(signal, async () =>
      this.#connected(server, { signal, account }, async ({ connection, upstream }) => {
        const asked = upstream.subscriptions?.set(uris, onUpdated) ?? Promise.resolve([]);
        const added = await this.#asked(connection, orAborted(asked, signal), { signal });
        connection.faults = 0;
        return added;
      }),
    );
  }

  /** Ends the connection with an account that was used: whoever needs it next opens another one. */
  leaveAccount(server: OutsideServer, account: string): void {
    this.#pool.leaveAccount(server, account);
  }

  /** Leaves servers that are registered no more, or in another way: a command would run, and a stream stay open, for nobody. */
  async leaveRemoved(): Promise<void> {
    await this.#pool.leaveRemoved();
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  async #again<Answer>(signal: AbortSignal, once: () => Promise<Answer>): Promise<Answer> {
    try {
      return await once();
    } catch (error) {
      // It was restarted, say: it did not act on the message, and a new connection is a new session.
      if (!saysUnknownSession(error) || signal.aborted) throw error;
      return once();
    }
  }

  async #callOnce(addressed: Addressed, call: UpstreamCall): Promise<Called> {
    let isSent = false;
    const { signal } = call;
    try {
      const server = await this.#approved(addressed);
      // It may be at another address now, which this account was not meant for.
      if (server.approval !== addressed.approval && (server.connection || call.account))
        return { kind: 'changed', reason: 'its server was approved again meanwhile; call it as it is now' };
      const owner = isForOneCaller(server) ? call.caller : undefined;
      return await this.#connected(server, { ...call, owner }, async ({ approved, connection, upstream }) => {
        if (Date.now() - connection.checkedAt > this.#parts.recheckMs) await this.#recheck(approved, { connection, upstream, signal });
        const now = await this.#parts.store.find(approved, addressed.approval);
        const tool = now?.tools.find(({ name }) => name === call.tool);
        if (tool?.suspended !== undefined) return { kind: 'changed', reason: tool.suspended };
        const questions = new OpenQuestions(connection, call);
        const make = async (): Promise<UpstreamAnswer> => {
          isSent = true;
          const made = upstream.call({ ...call, ...questions.asked, inputSchema: tool?.inputSchema ?? {} });
          return this.#asked(connection, made, { signal, isKept: () => questions.keepIt });
        };
        const answer = await (connection.turns?.take(signal, make) ?? make());
        connection.faults = 0;
        return answer;
      });
    } catch (error) {
      throw isSent && !signal.aborted && !call.idempotent && !cannotHaveRun(error) ? notRetried(error) : error;
    }
  }

  async #approved({ tenant: tenantId, server: name, approval }: Addressed): Promise<OutsideServer> {
    const approved = await this.#parts.store.find({ tenantId, name }, approval);
    if (approved) return approved;
    throw new Failure('service', `${name} is registered no more`);
  }

  async #connected<Answer>(
    approved: OutsideServer,
    { signal, account, owner }: Asking,
    use: (open: Open) => Promise<Answer>,
  ): Promise<Answer> {
    if ((approved.connection === null) !== (account === null))
      throw new Failure('service', `${approved.name} was approved again meanwhile`, { retryable: false });
    if (account) requireMeant(approved, account);
    const connection = this.#pool.take(approved, account, owner);
    try {
      const upstream = await this.#asked(connection, orAborted(connection.upstream, signal), { signal });
      return await use({ approved, connection, upstream });
    } finally {
      this.#pool.release(connection);
    }
  }

  /**
   * Waits for the server. What its client throws is the server's doing, also where no rule knows it: an answer that cannot be read is no
   * fault of ours.
   */
  async #asked<Answer>(connection: Connection, answer: Promise<Answer>, { signal, isKept = () => false }: Waiting): Promise<Answer> {
    const { name } = connection.server;
    try {
      return await answer;
    } catch (thrown) {
      if (signal.aborted && isKept()) throw thrown;
      const error = connection.account ? connection.account.cleaned(thrown) : thrown;
      const failure = upstreamFailure(name, error);
      if (failure?.kind !== 'rate-limit') connection.faults += 1;
      // Who waited for it has left; that says nothing of it.
      if (!connection.isOpen && connection.isCommand && signal.aborted) throw failure ?? error;
      // The state of the connection is unknown, so the next attempt opens a new one.
      const isGood = failure?.kind === 'rate-limit' || (failure?.kind === 'service' && connection.faults < mostFaults);
      if (!isGood) this.#pool.drop(connection);
      if (failure) throw failure;
      throw failureKindOf(error) === 'internal' ? unreadable(name, error) : error;
    }
  }

  /** Suspends every tool whose definition differs from the approved one, until it is approved again. */
  async #recheck(
    server: OutsideServer,
    { connection, upstream, signal }: { readonly connection: Connection; readonly upstream: Upstream; readonly signal: AbortSignal },
  ): Promise<void> {
    const offer = await this.#asked(connection, upstream.list(signal), { signal });
    connection.checkedAt = Date.now();
    const changed = changesSince(server, offer);
    if (changed.size === 0) return;
    await this.#parts.store.suspend(server, changed);
    this.#parts.log.warn(
      { event: 'outside-tool-changed', server: outsideServerId(server), tools: [...changed.keys()] },
      'tools of an outside server were suspended',
    );
  }
}

/** Whether no other caller's call is made on a connection: a server remembers roots, and a command does not say which call it asks for. */
function isForOneCaller({ mayAsk, stdio }: OutsideServer): boolean {
  return mayAsk.includes('roots') || (stdio !== null && mayAsk.length > 0);
}

/** The same failure, which no rule retries. */
function notRetried(cause: unknown): Failure {
  return new Failure(failureKindOf(cause), cause instanceof Error ? cause.message : 'the call failed', { cause, retryable: false });
}

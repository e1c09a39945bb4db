import type { FastifyRequest } from 'fastify';
import {
  askOutsideServer,
  listOutsideOffers,
  mostServersListed,
  outsideOffers,
  principal,
  Refusal,
  type ApprovedServer,
  type OutsideQuestion,
} from '#lib/contracts';
import type { SharedClock } from '#lib/transport';
import { callerOf } from '../../http/caller-of.js';
import type { Calls } from '../../calls/calls.js';
import type { Limits } from '../../calls/limits.js';
import { defaultOptions } from '../../calls/options.js';
import { callBasics } from '../../http/call-headers.js';
import { OfferCache, type AskedServer, type KnownOffers } from './offer-cache.js';

/** Who asks, within one request. */
export interface Asker {
  readonly request: FastifyRequest;
  /** Fires when the client leaves. */
  readonly signal: AbortSignal;
  /** Told of the job that a question became. */
  readonly onJob?: (jobId: string) => void;
}

/** For the lists of a few servers, in ms: a worker that is away costs a list no more. */
const listsMs = 20_000;

/**
 * What outside servers have besides tools, as the perception worker reads it. Each question is a call that takes the pipeline of its caller. Lists
 * are kept for a while: for all callers alike, or for one where the server acts with their account.
 */
export class OutsideOffers {
  readonly #calls: Calls;
  readonly #limits: Pick<Limits, 'refund'>;
  readonly #clock: Pick<SharedClock, 'now'>;
  readonly #cache = new OfferCache();
  /** Lists that are being read, by who reads them and which. */
  readonly #reading = new Map<string, Promise<void>>();

  constructor(calls: Calls, limits: Pick<Limits, 'refund'>, clock: Pick<SharedClock, 'now'>) {
    this.#clock = clock;
    this.#calls = calls;
    this.#limits = limits;
  }

  /** The lists of these servers, by their names. What is not known any more is asked for now; what cannot be read is told in `fault`. */
  async lists(servers: readonly AskedServer[], { request }: Asker): Promise<ReadonlyMap<string, KnownOffers>> {
    const stale = servers.filter((server) => !this.#cache.isFresh(server));
    const refused = new Map<string, KnownOffers>();
    const who = principal(callerOf(request));
    const groups = Array.from({ length: Math.ceil(stale.length / mostServersListed) }, (_, index) =>
      stale.slice(index * mostServersListed, (index + 1) * mostServersListed),
    );
    await Promise.all(
      groups.map(async (group) => {
        try {
          await this.#readOnce(who, group, request);
        } catch (thrown) {
          // It says something of this caller, and nothing of the servers.
          const fault = thrown instanceof Refusal ? thrown.message : 'its lists could not be asked for';
          for (const server of group) refused.set(server.server, { ...this.#cache.find(server), fault });
        }
      }),
    );
    return new Map(servers.map((server) => [server.server, refused.get(server.server) ?? this.#cache.find(server)]));
  }

  /** What a server answers. Throws a Refusal. */
  async ask({ tenant, server, approval }: ApprovedServer, question: OutsideQuestion, asker: Asker): Promise<object> {
    const data = await this.#call('ask_outside_server', { tenant, server, approval, ...question }, asker);
    return askOutsideServer.output.parse(data).result;
  }

  /** A server has announced that its lists are others. */
  forget(serverId: string): void {
    this.#cache.forget(serverId);
  }

  /** Clients ask for all lists at once: they are read one time for all of them. */
  async #readOnce(who: string, servers: readonly AskedServer[], request: FastifyRequest): Promise<void> {
    const key = JSON.stringify([who, servers]);
    const running = this.#reading.get(key) ?? this.#read(servers, request).finally(() => this.#reading.delete(key));
    this.#reading.set(key, running);
    await running;
  }

  async #read(servers: readonly AskedServer[], request: FastifyRequest): Promise<void> {
    // Others may wait for the same, whoever leaves.
    const signal = AbortSignal.timeout(listsMs);
    const changes = this.#cache.changes;
    const asked = servers.map(({ tenant, server, approval }) => ({ tenant, server, approval }));
    const startedAt = new Date(this.#clock.now());
    const data = await this.#call('list_outside_offers', { servers: asked }, { request, signal });
    // How often lists are read is bounded by how long they are kept: who polls them uses up none of the day's calls.
    await this.#limits.refund(callerOf(request), startedAt);
    const told = listOutsideOffers.output.parse(data).servers;
    for (const [index, { fault, offers }] of told.entries()) {
      const lists = outsideOffers.safeParse(offers).data ?? null;
      const server = servers[index];
      if (server) this.#cache.keep(server, { lists, fault: fault ?? (lists ? null : 'its lists could not be read'), changes });
    }
  }

  async #call(tool: string, input: object, { request, signal, onJob }: Asker): Promise<unknown> {
    using call = await this.#calls.start({
      ...callBasics(request),
      tool,
      internal: { flightKey: null, exempt: false },
      input: () => input,
      facts: { ...request.facts },
      options: defaultOptions,
      idempotencyKey: null,
      known: [],
      waits: true,
    });
    if (call.jobId !== null) onJob?.(call.jobId);
    const answer = await call.answerOrRest(signal);
    if (!answer || 'rest' in answer) {
      await call.cancel(answer ? 'Nobody can be asked about it' : 'The caller went away', { unlessJoined: true });
      if (!answer) throw new Refusal('CANCELLED', 'The caller went away');
      throw new Refusal('PERMISSION_DENIED', `It would have to wait (${answer.rest.reason}), which lists and resources cannot`);
    }
    const { outcome } = answer;
    if (outcome.ok) return outcome.data;
    const { code: _, family, message, ...others } = outcome.error;
    throw new Refusal(family, message, others);
  }
}

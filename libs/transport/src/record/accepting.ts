import type { Domain } from '#lib/contracts';
import { acceptCall, acceptGroup, bytesOf } from './accept-call.js';
import { toAcceptance, type Acceptance, type AcceptRequest } from './acceptance.js';
import { Groups } from './groups.js';
import type { RedisClient } from '../redis/redis-client.js';
import { type RedisKeys } from '../redis/redis-keys.js';
import { partitionOfJob, type Partition } from '../redis/partition.js';
import type { ScriptReply } from '../redis/script.js';
import { accept } from '../scripts/accept.js';
import type { Sealer } from './sealing.js';

interface AcceptingParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  /** Of a tenant in one partition. */
  readonly maxBytes: number;
  /** The process that follows the calls. */
  readonly listener: string;
}

/** A call with its head as it is stored, and the text of the head. */
type EncodedCall = AcceptRequest & { readonly encoded: string };

interface AcceptAsked {
  readonly domain: Domain;
  readonly request: EncodedCall;
}

/** Accepts calls, those of a partition in groups. */
export class Accepting {
  readonly #parts: AcceptingParts;
  readonly #groups = new Map<Partition, Groups<AcceptAsked, ScriptReply>>();

  constructor(parts: AcceptingParts) {
    this.#parts = parts;
  }

  async accept(domain: Domain, request: EncodedCall): Promise<Acceptance> {
    const { jobId, head } = request;
    const { maxBytes } = this.#parts;
    const reply = await this.#groupsOf(partitionOfJob(jobId)).add({ domain, request });
    return toAcceptance(reply, { jobId, head, bytes: bytesOf(request), maxBytes });
  }

  #groupsOf(partition: Partition): Groups<AcceptAsked, ScriptReply> {
    const known = this.#groups.get(partition);
    if (known) return known;
    const groups = new Groups<AcceptAsked, ScriptReply>({
      send: async (asked) => this.#send(partition, asked),
      charactersOf: ({ request: { encoded, job } }) => encoded.length + (job?.data.length ?? 0),
    });
    this.#groups.set(partition, groups);
    return groups;
  }

  async #send(partition: Partition, asked: readonly AcceptAsked[]): Promise<readonly (ScriptReply | Error)[]> {
    const [first] = asked;
    if (!first) return [];
    const { redis, keys } = this.#parts;
    const group = acceptGroup(keys, partition, { ...this.#parts, domain: first.domain });
    // Made here, one after the other: the signature of a call alone, between two steps of its gateway, takes four times as long.
    const calls = asked.map(({ request }) => acceptCall({ ...this.#parts, partition }, request));
    const { replies } = await accept.run(redis, { ...group, calls });
    return replies;
  }
}

import type { Domain } from '#lib/contracts';
import { acceptCall, acceptGroup } from './accept-call.js';
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

type OwnArguments = ReturnType<typeof acceptCall>;
interface AcceptAsked {
  readonly domain: Domain;
  readonly call: OwnArguments;
}

/** Accepts calls, those of a partition in groups. */
export class Accepting {
  readonly #parts: AcceptingParts;
  readonly #groups = new Map<Partition, Groups<AcceptAsked, ScriptReply>>();

  constructor(parts: AcceptingParts) {
    this.#parts = parts;
  }

  /** @param request with the head as it is stored, and its text */
  async accept(domain: Domain, request: AcceptRequest & { readonly encoded: string }): Promise<Acceptance> {
    const { jobId, head } = request;
    const { maxBytes } = this.#parts;
    const partition = partitionOfJob(jobId);
    const call = acceptCall({ ...this.#parts, partition }, request);
    const reply = await this.#groupsOf(partition).add({ domain, call });
    return toAcceptance(reply, { jobId, head, bytes: call.bytes, maxBytes });
  }

  #groupsOf(partition: Partition): Groups<AcceptAsked, ScriptReply> {
    const known = this.#groups.get(partition);
    if (known) return known;
    const groups = new Groups<AcceptAsked, ScriptReply>({
      send: async (asked) => this.#send(partition, asked),
      charactersOf: ({ call }) => call.head.length + call.jobData.length,
    });
    this.#groups.set(partition, groups);
    return groups;
  }

  async #send(partition: Partition, asked: readonly AcceptAsked[]): Promise<readonly (ScriptReply | Error)[]> {
    const [first] = asked;
    if (!first) return [];
    const { redis, keys } = this.#parts;
    const group = acceptGroup(keys, partition, { ...this.#parts, domain: first.domain });
    const { replies } = await accept.run(redis, { ...group, calls: asked.map(({ call }) => call) });
    return replies;
  }
}

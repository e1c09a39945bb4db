// What is known of a user besides the conversation: the profile, and what the user has told skills before.
import type { Caller } from '#lib/contracts';
import type { Database, Logger } from '#lib/platform';
import type { Authority, GatewayClient } from '../gateway-client.js';
import { StaleWhileRevalidate } from './stale-while-revalidate.js';

type KnownFacts = Readonly<Record<string, unknown>>;

/** A change of a profile reaches a conversation within seconds, not at once. */
const cacheLimits = { freshMs: 15_000, staleMs: 60_000, maxEntries: 5_000 };
/** A turn goes on without a profile that takes longer. */
const profileTimeoutMs = 2_000;
const maxSkills = 20;

interface Parts {
  readonly gateway: Pick<GatewayClient, 'call'>;
  readonly database: Pick<Database, 'skillData' | '$queryRaw'>;
  readonly log: Pick<Logger, 'warn'>;
}

/** Facts about users, cached in this process by user and, for the profile, by credential: another credential may have other rights. */
export class UserFacts {
  readonly #parts: Parts;
  readonly #profiles = new StaleWhileRevalidate<KnownFacts>(cacheLimits);
  readonly #skillData = new StaleWhileRevalidate<KnownFacts>(cacheLimits);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Read as the user. Empty when there is none or it cannot be read now. Throws the authority's reason to stop. */
  async profile(authority: Authority): Promise<KnownFacts> {
    const { tenantId, userId, credentialId } = authority.caller;
    if (userId === null) return {};
    const profile = await this.#profiles.get(keyOf(tenantId, userId, credentialId), () => this.#loadProfile(authority, userId));
    authority.signal.throwIfAborted();
    return profile ?? {};
  }

  /** Null when it cannot be read now; empty, which is cached, when the user has none. */
  async #loadProfile(authority: Authority, userId: string): Promise<KnownFacts | null> {
    const options = { ...authority, effectKey: null, limitMs: profileTimeoutMs };
    const answer = await this.#parts.gateway.call('user_profile_lookup', { user_id: userId }, options).catch(() => null);
    if (answer?.ok) return withoutBookkeeping(answer.data);
    return answer?.error.code === 'RESOURCE_NOT_FOUND' ? {} : null;
  }

  /** By skill. What another process has just saved may be missing for as long as the cache is fresh. */
  async skillData({ tenantId, userId }: Caller): Promise<KnownFacts> {
    if (userId === null) return {};
    const load = async () => {
      const rows = await this.#parts.database.$queryRaw<{ readonly skill: string; readonly data: unknown }[]>`
        SELECT skill, data FROM skill_data WHERE tenant_id = ${tenantId} AND user_id = ${userId} ORDER BY skill LIMIT ${maxSkills}`;
      return Object.fromEntries(rows.map(({ skill, data }) => [skill, data]));
    };
    return (await this.#skillData.get(keyOf(tenantId, userId), load)) ?? {};
  }

  /** Saves what the user told a skill, for the next conversation. A failure is logged, and the turn goes on. */
  async saveSkillData({ tenantId, userId }: Caller, skill: string, given: KnownFacts): Promise<void> {
    if (userId === null) return;
    const data = JSON.parse(JSON.stringify(given));
    const where = { tenantId_userId_skill: { tenantId, userId, skill } };
    await this.#parts.database.skillData
      .upsert({ where, create: { tenantId, userId, skill, data }, update: { data, updatedAt: new Date() } })
      .catch((error: unknown) => this.#parts.log.warn({ event: 'skill-data-lost', skill, err: error }, 'skill data could not be saved'));
    this.#skillData.invalidate(keyOf(tenantId, userId));
  }
}

function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** The profile without our own ids and dates, which a model does not need. */
function withoutBookkeeping(profile: KnownFacts): KnownFacts {
  return Object.fromEntries(Object.entries(profile).filter(([name]) => name !== 'user_id' && name !== 'last_updated'));
}

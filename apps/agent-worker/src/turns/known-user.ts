// What is known of a user besides the conversation: the profile, read as the user, and what skills have learnt.
import type { Caller } from '#lib/contracts';
import type { Database, Logger } from '#lib/platform';
import type { Authority, GatewayClient } from '../gateway-client.js';
import { Remembered } from './stale-while-revalidate.js';

type Known = Readonly<Record<string, unknown>>;

/** What is known is read again after this; a chat is no place to notice a change within seconds. */
const limits = { freshMs: 15_000, keptMs: 60_000, size: 5_000 };
/** A profile that takes longer is gone without. */
const patienceMs = 2_000;

interface Parts {
  readonly gateway: GatewayClient;
  readonly database: Pick<Database, 'skillData'>;
  readonly log: Logger;
}

export class KnownUser {
  readonly #parts: Parts;
  readonly #profiles = new Remembered<Known>(limits);
  readonly #skillData = new Remembered<Known>(limits);

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Empty when there is none, or it cannot be read now: the conversation goes on without. */
  async profile(authority: Authority): Promise<Known> {
    const { tenantId, userId, credentialId } = authority.caller;
    if (userId === null) return {};
    const profile = await this.#profiles.get(nameOf(tenantId, userId, credentialId), () => this.#read(authority, userId));
    authority.signal.throwIfAborted();
    return profile ?? {};
  }

  /** Null when it cannot be read now. */
  async #read(authority: Authority, userId: string): Promise<Known | null> {
    const options = { ...authority, effectKey: null, limitMs: patienceMs };
    const answer = await this.#parts.gateway.call('user_profile_lookup', { user_id: userId }, options).catch(() => null);
    if (answer?.ok) return withoutIds(answer.data);
    // That there is none is an answer too.
    return answer?.error.code === 'RESOURCE_NOT_FOUND' ? {} : null;
  }

  /** By skill. What another process has just learnt may be missing for as long as a memory is fresh. */
  async skillData({ tenantId, userId }: Caller): Promise<Known> {
    if (userId === null) return {};
    const read = async () => {
      const rows = await this.#parts.database.skillData.findMany({ where: { tenantId, userId }, orderBy: { skill: 'asc' }, take: 20 });
      return Object.fromEntries(rows.map(({ skill, data }) => [skill, data]));
    };
    return (await this.#skillData.get(nameOf(tenantId, userId), read)) ?? {};
  }

  /** Remembers what a skill was told, for the next conversation. */
  async learn({ tenantId, userId }: Caller, skill: string, given: Known): Promise<void> {
    if (userId === null) return;
    const data = JSON.parse(JSON.stringify(given));
    const where = { tenantId_userId_skill: { tenantId, userId, skill } };
    await this.#parts.database.skillData
      .upsert({ where, create: { tenantId, userId, skill, data }, update: { data, updatedAt: new Date() } })
      .catch((error: unknown) => this.#parts.log.warn({ event: 'skill-data-lost', skill, err: error }, 'what a skill learnt was not kept'));
    this.#skillData.forget(nameOf(tenantId, userId));
  }
}

function nameOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

/** Who the user is to us is nothing that a model needs. */
function withoutIds(profile: Known): Known {
  return Object.fromEntries(Object.entries(profile).filter(([name]) => name !== 'user_id' && name !== 'last_updated'));
}

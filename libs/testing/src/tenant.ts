// A tenant for one test: users, profiles and keys that no other test sees. Disposing of it deletes them.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { mintApiKey } from '#lib/platform';
import { userScopes, type Tier } from '#lib/contracts';

export interface KeyOptions {
  /** Null for a key of the tenant itself. Default user_001. */
  readonly userId?: string | null;
  readonly tier?: Tier;
  readonly scopes?: readonly string[];
  readonly expiresAt?: Date;
  /** Domains that its workers may serve. Default: any. */
  readonly serves?: readonly string[];
  /** Whether what its workers announce needs no administrator. */
  readonly approvesTools?: boolean;
  /** The only tools that it sees and calls. Default: all. */
  readonly tools?: readonly string[];
  /** The set that has the only tools that it sees and calls. */
  readonly toolset?: string;
}

export interface ProfileRow {
  readonly user_id: string;
  readonly age: number;
  readonly gender: 'male' | 'female' | 'other';
  readonly height_cm: number;
  readonly weight_kg: number;
  readonly activity_level: string;
  readonly health_goals: readonly string[];
  readonly medical_conditions: readonly string[];
  readonly dietary_restrictions: readonly string[];
  readonly last_updated: string;
}

/** The profile of user_001. Its health values are unusual, so that a search for them in logs finds only them. */
export const completeProfile: ProfileRow = {
  user_id: 'user_001',
  age: 37,
  gender: 'male',
  height_cm: 176.25,
  weight_kg: 71.375,
  activity_level: 'moderate',
  health_goals: ['weight_loss', 'muscle_gain', 'general_fitness'],
  medical_conditions: ['diabetes', 'hypertension'],
  dietary_restrictions: ['vegetarian', 'gluten_free'],
  last_updated: '2026-01-15T09:30:00.000Z',
};

/** The profile of user_other: nothing optional in it. */
export const otherProfile: ProfileRow = {
  ...completeProfile,
  user_id: 'user_other',
  gender: 'other',
  health_goals: [],
  medical_conditions: [],
  dietary_restrictions: [],
};

export class Tenant implements AsyncDisposable {
  readonly id = `e2e-${randomBytes(5).toString('hex')}`;
  readonly #url: string;

  private constructor(url: string) {
    this.#url = url;
  }

  static async create(url: string): Promise<Tenant> {
    const tenant = new Tenant(url);
    await tenant.addUser('user_001', 'pro');
    await tenant.addUser('user_other', 'pro');
    for (const profile of [completeProfile, otherProfile]) await tenant.addProfile(profile);
    return tenant;
  }

  async addUser(id: string, tier: Tier): Promise<void> {
    await this.#run((client) => client.query('INSERT INTO "user" VALUES ($1, $2, $3)', [this.id, id, tier]));
  }

  async addProfile(profile: ProfileRow): Promise<void> {
    await this.#run((client) =>
      client.query('INSERT INTO profile SELECT * FROM jsonb_populate_record(NULL::profile, $1)', [
        JSON.stringify({ tenant_id: this.id, ...profile }),
      ]),
    );
  }

  /** A new key of this tenant; by default that of user_001 as an ordinary user has it. */
  async key({
    userId = 'user_001',
    tier = 'pro',
    scopes = userScopes,
    expiresAt,
    serves = [],
    approvesTools = false,
    tools = [],
    toolset,
  }: KeyOptions = {}): Promise<string> {
    const { id, key, hash } = mintApiKey();
    await this.#run((client) =>
      client.query(
        'INSERT INTO api_key (id, hash, tenant_id, user_id, tier, scopes, expires_at, serves, approves_tools, tools, toolset) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
        [id, hash, this.id, userId, tier, scopes, expiresAt ?? null, serves, approvesTools, tools, toolset ?? null],
      ),
    );
    return key;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#run(async (client) => {
      for (const table of [
        'profile',
        'api_key',
        '"user"',
        'file',
        'conversation',
        'skill_data',
        'served_tool',
        'served_removal',
        'schedule',
        'webhook',
      ])
        await client.query(`DELETE FROM ${table} WHERE tenant_id = $1`, [this.id]);
    });
  }

  async #run<Result>(work: (client: Client) => Promise<Result>): Promise<Result> {
    const client = new Client({ connectionString: this.#url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  }
}

import { Client } from 'pg';
import { adminKey, ensureApiKey, userKey } from './api-keys.js';
import { merchants, merchantSessions, profiles, returnOrigins, users } from './demo-data.js';

export interface KeptKeys {
  readonly admin: string | undefined;
  readonly user: string | undefined;
}

export interface Keys {
  readonly admin: string;
  readonly user: string;
}

/** Those that others refer to come first. */
const tables: readonly (readonly [string, readonly object[]])[] = [
  ['user', users],
  ['profile', profiles],
  ['merchant', merchants],
  ['merchant_session', merchantSessions],
  ['return_origin', returnOrigins],
];

/** Puts the demo rows in where they are missing, and leaves what someone changed. */
export async function seedDemoData(url: string): Promise<void> {
  await withClient(url, async (client) => {
    for (const [table, rows] of tables) {
      const name = client.escapeIdentifier(table);
      await client.query(`INSERT INTO ${name} SELECT * FROM jsonb_populate_recordset(NULL::${name}, $1) ON CONFLICT DO NOTHING`, [
        JSON.stringify(rows),
      ]);
    }
  });
}

/** The keys that a local run hands out: the kept ones while they still work, else new ones. */
export async function ensureKeys(url: string, kept: KeptKeys): Promise<Keys> {
  return withClient(url, async (client) => ({
    admin: await ensureApiKey(client, adminKey, kept.admin),
    user: await ensureApiKey(client, userKey, kept.user),
  }));
}

async function withClient<Result>(url: string, work: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

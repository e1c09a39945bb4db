import { Client } from 'pg';
import { adminKey, ensureApiKey, serveKey, userKey } from './api-keys.js';
import { merchants, merchantSessions, profiles, returnOrigins, users } from './demo-data.js';

export interface KeptKeys {
  readonly admin: string | undefined;
  readonly user: string | undefined;
  readonly serve: string | undefined;
}

/** The API keys of a local run. */
export interface LocalKeys {
  readonly admin: string;
  readonly user: string;
  /** For workers of one's own. */
  readonly serve: string;
}

/** In the order of their foreign keys. */
const tables: readonly (readonly [string, readonly object[]])[] = [
  ['user', users],
  ['profile', profiles],
  ['merchant', merchants],
  ['merchant_session', merchantSessions],
  ['return_origin', returnOrigins],
];

/** Inserts the demo rows that are missing. Rows that somebody changed stay as they are. */
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

/** The kept keys while they still work, else new ones. */
export async function ensureKeys(url: string, kept: KeptKeys): Promise<LocalKeys> {
  return withClient(url, async (client) => ({
    admin: await ensureApiKey(client, adminKey, kept.admin),
    user: await ensureApiKey(client, userKey, kept.user),
    serve: await ensureApiKey(client, serveKey, kept.serve),
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

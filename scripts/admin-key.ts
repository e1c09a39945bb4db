// Makes an admin key in the database of DATABASE_URL and prints it once: how a deployment gets its first one.
// Argument: the tenant.
import { Client } from 'pg';
import { loadDotEnv } from './environment.js';
import { createApiKey } from './provision/api-keys.js';
import { checkPostgres } from './provision/given-stores.js';
import { Failure, runScript, say } from './say.js';

await runScript(async () => {
  loadDotEnv();
  const url = process.env['DATABASE_URL'];
  if (!url) throw new Failure('DATABASE_URL is not set');
  const tenantId = process.argv[2];
  if (!tenantId) throw new Failure('name the tenant: admin-key.js <tenant>');
  await checkPostgres('DATABASE_URL', url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    say(await createApiKey(client, { tenantId, userId: null, tier: 'vip', scopes: ['*'] }));
  } finally {
    await client.end();
  }
});

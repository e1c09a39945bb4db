// Makes an admin key in the database of DATABASE_URL and prints it once: how a deployment gets its first one.
// Argument: the tenant.
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { CommandError, loadDotEnv, print, runScript } from '#lib/command-line';
import { tenantIdSchema } from '#lib/contracts';
import { createApiKey } from './provision/api-keys.js';
import { checkPostgres } from './provision/given-stores.js';

const help = `Makes an admin key in the database of DATABASE_URL and prints it once: how a deployment gets its first one.

  node dist/scripts/admin-key.js <tenant>
`;

await runScript(async () => {
  const [name = ''] = parseArgs({ allowPositionals: true }).positionals;
  loadDotEnv();
  const url = process.env['DATABASE_URL'];
  if (!url) throw new CommandError('DATABASE_URL is not set');
  const tenant = tenantIdSchema.safeParse(name);
  if (!tenant.success) throw new CommandError(`name the tenant: admin-key.js <tenant>; it ${tenant.error.issues[0]?.message}`);
  await checkPostgres('DATABASE_URL', url);
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    print(await createApiKey(client, { tenantId: tenant.data, userId: null, tier: 'vip', scopes: ['*'] }));
  } finally {
    await client.end();
  }
}, help);

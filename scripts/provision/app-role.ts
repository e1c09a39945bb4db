// The role that the apps connect as, where it is not the one that owns the schema: it changes rows, and nothing else.
import { Client, DatabaseError, escapeIdentifier, escapeLiteral } from 'pg';
import { CommandError, printError } from '#lib/command-line';

/** Written by triggers and functions alone, which run with the rights of the owner. */
const readAlone = ['audit_event', 'call_history', 'call_usage', '_prisma_migrations'];
/** Not for everybody, as other functions are. */
const functions = [
  'keep_calls(jsonb)',
  'keep_days(text, integer)',
  'keep_audit(integer)',
  'open_retrieval_model(text, integer)',
  'index_retrieval_model(integer)',
];
/** What the Stripe tools read the platform as ([decision 30](../../docs/decisions/0030-platform-database-through-three-views.md)). */
const platformReader = 'invoq_platform_reader';
const platformViews = ['platform_merchant', 'platform_session', 'platform_return_origin'];
const duplicateObject = '42710';
const notAllowed = '42501';

/**
 * Gives the role of a URL its rights in the schema of the owner, and makes the role where it is missing. Once more does no harm, and takes away
 * what it should not have. Throws CommandError.
 * @param ownerUrl of the role that owns the schema
 * @param appUrl with the name and the password that the apps use
 */
export async function grantAppRole(ownerUrl: string, appUrl: string): Promise<string> {
  const { username, password } = new URL(appUrl);
  const name = decodeURIComponent(username);
  if (name === '' || name === decodeURIComponent(new URL(ownerUrl).username))
    throw new CommandError('APP_DATABASE_URL must name another role than DATABASE_URL, which owns the schema');
  const client = new Client({ connectionString: ownerUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    await makeRole(client, name, decodeURIComponent(password));
    const role = escapeIdentifier(name);
    const { rows } = await client.query<{ schema: string; database: string }>(
      'SELECT current_schema() AS schema, current_database() AS database',
    );
    const [schema = '', database = ''] = [rows[0]?.schema ?? '', rows[0]?.database ?? ''].map((one) => escapeIdentifier(one));
    await client.query(`
      BEGIN;
      GRANT CONNECT ON DATABASE ${database} TO ${role};
      REVOKE CREATE ON SCHEMA ${schema} FROM PUBLIC, ${role};
      GRANT USAGE ON SCHEMA ${schema} TO ${role};
      REVOKE ALL ON ALL TABLES IN SCHEMA ${schema} FROM ${role};
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA ${schema} TO ${role};
      GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role};
      REVOKE INSERT, UPDATE, DELETE ON ${await readAloneIn(client)} FROM ${role};
      GRANT EXECUTE ON FUNCTION ${functions.join(', ')} TO ${role};
      COMMIT;`);
    await grantPlatformReader(client, { role, schema });
    return name;
  } finally {
    await client.end();
  }
}

async function makeRole(client: Client, name: string, password: string): Promise<void> {
  if (password === '') throw new CommandError('APP_DATABASE_URL has no password');
  try {
    await client.query(`CREATE ROLE ${escapeIdentifier(name)} LOGIN PASSWORD ${escapeLiteral(password)}`);
  } catch (error) {
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code === notAllowed) await failUnlessThere(client, name);
    else if (code !== duplicateObject) throw error;
  }
}

/** A backup has neither the role nor its rights. Only the Stripe tools need them: an owner who may not give them is told, and goes on. */
async function grantPlatformReader(client: Client, { role, schema }: { readonly role: string; readonly schema: string }): Promise<void> {
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [platformReader]);
    if (!rowCount) await client.query(`CREATE ROLE ${platformReader} NOLOGIN NOINHERIT`);
    await client.query(`
      GRANT USAGE ON SCHEMA ${schema} TO ${platformReader};
      GRANT SELECT ON ${platformViews.join(', ')} TO ${platformReader};
      GRANT ${platformReader} TO ${role};`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== notAllowed) throw error;
    printError(
      `warning: the Stripe tools cannot read as ${platformReader} (${error.message}). Let an administrator GRANT ${platformReader} TO ${role}`,
    );
  }
}

async function failUnlessThere(client: Client, name: string): Promise<void> {
  const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
  if (!rowCount) throw new CommandError(`the role of DATABASE_URL may make no roles: make ${name} by hand, with LOGIN and its password`);
}

/** The tables and their days: a day is a table of its own. */
async function readAloneIn(client: Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = current_schema()::regnamespace
       AND (c.relname = ANY($1) OR i.inhparent = ANY(SELECT to_regclass(t) FROM unnest($1::text[]) t))`,
    [readAlone],
  );
  return rows.map(({ name }) => name).join(', ');
}

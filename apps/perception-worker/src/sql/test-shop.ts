// A PostgreSQL of strangers beside the stores of the product, with its queries registered as an administrator does.
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { Client } from 'pg';
import { databaseCredential, outsideContract, outsideServer, sealedHeadersPurpose, validateInput, valuesToSeal } from '#lib/contracts';
import { runTool } from '#lib/handlers';
import { startDebianPostgres, type DebianPostgres } from '../../../../test/e2e/debian-postgres.js';
import { outsideHandler } from '../upstreams/outside-handler.js';
import type { UpstreamServices } from '../upstreams/services.js';
import { database, newName, openServices, register, sealer, tenantId, withStores } from '../upstreams/test-upstreams.js';

let postgres: DebianPostgres;
export let owner: Client;
/** The address for the login of a role. */
export let addressOf: (role: string, more?: string) => string;

const names: string[] = [];

/** Opens the stores and the database for the test file that calls it, and closes them at its end. */
export function withShop(): void {
  withStores();
  beforeAll(async () => {
    postgres = await startDebianPostgres({ checksPasswords: true });
    const url = new URL(postgres.newDatabase('shop'));
    addressOf = (role, more = '?sslmode=disable') => `postgres://${role}:none@${url.host}/shop${more}`;
    owner = new Client({ connectionString: url.href });
    owner.on('error', () => undefined);
    await owner.connect();
    await owner.query(`
      CREATE TABLE orders (id int PRIMARY KEY, country text NOT NULL, total numeric(20, 4), big bigint, paid boolean, at timestamptz, note text);
      INSERT INTO orders SELECT n, CASE n % 2 WHEN 0 THEN 'de' ELSE 'fr' END, n * 1.5, 9007199254740993, n % 3 = 0, '2026-01-31 12:30:00+00', 'x'
        FROM generate_series(1, 500) AS n;
      CREATE TABLE secrets (word text);
      CREATE ROLE reader LOGIN PASSWORD 'none';
      GRANT SELECT ON orders TO reader;
      CREATE ROLE writer LOGIN PASSWORD 'none';
      GRANT SELECT, INSERT, UPDATE ON orders TO writer;
      CREATE FUNCTION sneaky() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO orders (id, country) VALUES (9999, 'xx'); RETURN 1; END $$;
      CREATE SEQUENCE ticks;
      GRANT USAGE ON ticks TO writer;`);
  }, 60_000);
  afterAll(async () => {
    await owner?.end();
    await postgres?.[Symbol.asyncDispose]();
  });

  // A tenant has at most 50.
  afterEach(async () => void (await database.mcpServer.deleteMany({ where: { OR: names.map((name) => ({ id: { endsWith: name } })) } })));
}

export function newServer(): string {
  const name = newName();
  names.push(name);
  return name;
}

export const sealed = (name: string, address: string) => ({
  sealed_headers: sealer.sealText(
    JSON.stringify(valuesToSeal({}, { [databaseCredential]: address })),
    sealedHeadersPurpose({ tenantId, name }),
  ),
});
const bare = (address: string): string => address.replace(/\/\/.*@/, '//');
export const orders = {
  name: 'orders',
  description: 'Orders of a country.',
  sql: 'SELECT id, total FROM orders WHERE country = :country ORDER BY id',
};

interface Registering {
  readonly name?: string;
  readonly address?: string;
  readonly more?: object;
}

export const registered = (
  services: UpstreamServices,
  queries: readonly object[],
  { name = newServer(), address = addressOf('reader'), more = {} }: Registering = {},
) => register(services, { name, kind: 'sql', url: bare(address), queries: JSON.stringify(queries), ...sealed(name, address), ...more });

export async function call(
  services: UpstreamServices,
  server: string,
  {
    tool,
    input = {},
    stop = new AbortController().signal,
  }: { readonly tool: string; readonly input?: object; readonly stop?: AbortSignal },
) {
  const approved = outsideServer.parse(await database.mcpServer.findUniqueOrThrow({ where: { id: `${tenantId}/${server}` } }));
  const definition = approved.tools.find(({ name }) => name === tool);
  if (!definition) throw new Error(`there is no ${tool}: ${JSON.stringify(approved.rejected)}`);
  const contract = outsideContract(approved, definition);
  return runTool(outsideHandler(contract), services, {
    jobId: 'j',
    number: 1,
    input: validateInput(contract, input),
    caller: { tenantId, userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' },
    sessionId: null,
    stop,
    onProgress: () => undefined,
  });
}

/** Registers one query and calls it. */
export async function asked(
  sql: string,
  { input = {}, role = 'reader', more = {} }: { readonly input?: object; readonly role?: string; readonly more?: object } = {},
) {
  await using services = openServices({}, 60_000);
  const name = newServer();
  const result = await registered(services, [{ name: 'q', description: 'Asks.', sql, ...more }], { name, address: addressOf(role) });
  if (result.kind !== 'done') return result;
  return call(services, name, { tool: 'q', input });
}

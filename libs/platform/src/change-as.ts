import type { Database } from './database.js';
import type { Prisma } from './generated/prisma/client.js';

/** A table whose changes are in the audit, of a database that `changeAs` works on. */
export type AuditedDatabase<Model extends 'apiKey' | 'servedTool' | 'mcpServer'> = Pick<Database, Model | '$transaction' | '$executeRaw'>;

/**
 * Makes a change of which the audit says that this principal asked for it: in one transaction, to which the name is bound, so a pooler may
 * stand before Postgres.
 * @param change is begun here, not before
 */
export async function changeAs<Result>(
  database: Pick<Database, '$transaction' | '$executeRaw'>,
  principal: string,
  change: Prisma.PrismaPromise<Result>,
): Promise<Result> {
  const named = database.$executeRaw`SELECT set_config('invoq.actor', ${principal}, true)`;
  const [, result] = await database.$transaction([named, change]);
  return result;
}

import type { Database } from './database.js';
import type { Prisma } from './generated/prisma/client.js';

/** A table whose changes are in the audit, of a database that `changeAs` works on. */
export type AuditedDatabase<
  Model extends
    | 'apiKey'
    | 'servedTool'
    | 'mcpServer'
    | 'schedule'
    | 'webhook'
    | 'inputRequest'
    | 'policy'
    | 'budget'
    | 'toolset'
    | 'pause'
    | 'flow'
    | 'provider'
    | 'connection',
> = Pick<Database, Model | '$transaction'>;

/**
 * Makes a change of which the audit says that this principal asked for it: in one transaction, to which the name is bound, so a pooler may
 * stand before Postgres.
 */
export async function changeAs<Result>(
  database: Pick<Database, '$transaction'>,
  principal: string,
  change: (transaction: Prisma.TransactionClient) => Promise<Result>,
): Promise<Result> {
  // Not as a batch: there JSON may not be deeper than 128.
  return database.$transaction(async (transaction) => {
    await transaction.$executeRaw`SELECT set_config('invoq.actor', ${principal}, true)`;
    return change(transaction);
  });
}

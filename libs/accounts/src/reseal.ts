import { modelRows, type Database } from '#lib/platform';
import type { Sealer } from '#lib/transport';
import { secretPurpose, readProvider, type ProviderRow } from './provider-store.js';
import { tokensPurpose } from './tokens.js';

interface ResealParts {
  readonly database: Pick<Database, 'provider' | 'connection' | '$queryRaw'>;
  readonly sealer: Pick<Sealer, 'resealText'>;
  /** Id of the first sealing key. */
  readonly firstKey: string;
}

const mostTogether = 500;

/**
 * Seals tokens and secrets with the first sealing key that an older one has sealed, so that it can be removed. Those that no key opens are left.
 * @returns how many it sealed again
 */
export async function resealAccounts({ database, sealer, firstKey }: ResealParts): Promise<number> {
  const newest = `sealed.${firstKey}.`;
  // Mostly there are none, which SQL finds out without Prisma's client.
  const providers = await modelRows<ProviderRow>(
    database.$queryRaw`SELECT * FROM provider WHERE NOT starts_with(client_secret, ${newest}) LIMIT ${mostTogether}`,
  );
  let resealed = 0;
  for (const row of providers) {
    const clientSecret = row.clientSecret === null ? null : opened(() => sealer.resealText(row.clientSecret ?? '', secretPurpose(row)));
    if (clientSecret === null) continue;
    const { tenantId, name } = row;
    resealed += (await database.provider.updateMany({ where: { tenantId, name, clientSecret: row.clientSecret }, data: { clientSecret } }))
      .count;
  }
  const found = await database.$queryRaw<{ readonly id: string }[]>`
    SELECT id FROM connection WHERE NOT starts_with(tokens, ${newest}) LIMIT ${mostTogether}`;
  const ids = found.map(({ id }) => id);
  const rows = ids.length === 0 ? [] : await database.connection.findMany({ where: { id: { in: ids } }, include: { of: true } });
  for (const { of, id, ...row } of rows) {
    const tokens = opened(() => sealer.resealText(row.tokens, tokensPurpose(row, readProvider(of).server)));
    // Unless they were renewed meanwhile.
    if (tokens !== null) resealed += (await database.connection.updateMany({ where: { id, tokens: row.tokens }, data: { tokens } })).count;
  }
  return resealed;
}

function opened(work: () => string): string | null {
  try {
    return work();
  } catch {
    return null;
  }
}

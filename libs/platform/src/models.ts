import { PrismaPg } from '@prisma/adapter-pg';
import type { Pool } from 'pg';
import { PrismaClient } from './generated/prisma/client.js';

/**
 * Prisma's client on a pool. It takes 70 MB and half a second of processor time, most of it for the compiler of its queries, so it is loaded
 * when the first model is used (`database.ts`).
 */
export function openModels(pool: Pool, statementName?: (text: string) => string): PrismaClient {
  const named = statementName && { statementNameGenerator: ({ sql }: { readonly sql: string }) => statementName(sql) };
  return new PrismaClient({ adapter: new PrismaPg(pool, { ...named }) });
}

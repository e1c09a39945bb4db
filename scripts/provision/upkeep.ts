// What autovacuum does for a Postgres that has processes for it. PGlite is one process: nobody does it there.
import type { PGlite } from '@electric-sql/pglite';

/** `autovacuum_naptime` of Postgres. */
export const vacuumEveryMs = 60_000;

/** Postgres' own thresholds: `autovacuum_vacuum_threshold`, `autovacuum_vacuum_insert_threshold` and `autovacuum_analyze_threshold`, each with its scale factor. */
const due = `
  SELECT quote_ident(schemaname) || '.' || quote_ident(relname) AS "table"
  FROM pg_stat_user_tables
  WHERE n_dead_tup > 50 + 0.2 * n_live_tup OR n_ins_since_vacuum > 1000 + 0.2 * n_live_tup OR n_mod_since_analyze > 50 + 0.1 * n_live_tup`;

/** Tables with many rows that are gone, or new. @returns names to be put into a statement as they are */
export async function tablesToVacuum(db: PGlite): Promise<readonly string[]> {
  const { rows } = await db.query<{ readonly table: string }>(due);
  return rows.map(({ table }) => table);
}

/** Gives the room of rows that are gone to new ones, and counts anew what the planner goes by. It holds the database meanwhile. */
export async function vacuum(db: PGlite, table: string): Promise<void> {
  await db.exec(`VACUUM (ANALYZE) ${table}`);
}

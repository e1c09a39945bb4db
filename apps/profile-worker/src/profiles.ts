import type { z } from 'zod';
import type { importProfiles } from '#lib/contracts';
import { modelRows, type Database } from '#lib/platform';

/** A row of the profile table. */
type ProfileRow = NonNullable<Awaited<ReturnType<Database['profile']['findUnique']>>>;
type NewProfile = z.infer<typeof importProfiles.input>['profiles'][number];

/** How many profiles an import adds, and how many it changes. */
export interface ProfileChanges {
  readonly added: number;
  readonly changed: number;
}

export interface Profiles {
  /** One indexed read; null when the tenant has no such user. */
  readonly find: (tenantId: string, userId: string) => Promise<ProfileRow | null>;
  /** Adds and changes profiles of different users, all or none. A dry run only counts. */
  readonly put: (tenantId: string, rows: readonly NewProfile[], options: { readonly isDryRun: boolean }) => Promise<ProfileChanges>;
}

export function profilesIn(database: Pick<Database, '$queryRaw'>): Profiles {
  return {
    find: async (tenantId, userId) => {
      const [row] = await modelRows<ProfileRow>(
        database.$queryRaw`SELECT * FROM profile WHERE tenant_id = ${tenantId} AND user_id = ${userId}`,
        { healthGoals: [], medicalConditions: [], dietaryRestrictions: [] },
      );
      return row ?? null;
    },
    put: async (tenantId, rows, { isDryRun }) => {
      // A row without `last_updated` differs by its data alone, so importing it twice changes nothing the second time. Sorted, so that two
      // imports into one tenant lock rows in the same order.
      const [changes] = await database.$queryRaw<ProfileChanges[]>`
        WITH given AS (SELECT * FROM json_populate_recordset(null::profile, ${JSON.stringify(rows)}::json)),
        differing AS (
          SELECT g.*, p.user_id IS NULL AS is_new
          FROM given g LEFT JOIN profile p ON p.tenant_id = ${tenantId} AND p.user_id = g.user_id
          WHERE p.user_id IS NULL
            OR (g.age, g.gender, g.height_cm, g.weight_kg, g.activity_level, g.health_goals, g.medical_conditions, g.dietary_restrictions)
              IS DISTINCT FROM
              (p.age, p.gender, p.height_cm, p.weight_kg, p.activity_level, p.health_goals, p.medical_conditions, p.dietary_restrictions)
            OR g.last_updated <> p.last_updated
        ),
        stored AS (
          INSERT INTO profile (tenant_id, user_id, age, gender, height_cm, weight_kg, activity_level,
            health_goals, medical_conditions, dietary_restrictions, last_updated)
          SELECT ${tenantId}, user_id, age, gender, height_cm, weight_kg, activity_level,
            health_goals, medical_conditions, dietary_restrictions, coalesce(last_updated, now())
          FROM differing WHERE NOT ${isDryRun}::boolean ORDER BY user_id
          ON CONFLICT (tenant_id, user_id) DO UPDATE SET
            age = excluded.age, gender = excluded.gender, height_cm = excluded.height_cm, weight_kg = excluded.weight_kg,
            activity_level = excluded.activity_level, health_goals = excluded.health_goals,
            medical_conditions = excluded.medical_conditions, dietary_restrictions = excluded.dietary_restrictions,
            last_updated = excluded.last_updated
        )
        SELECT count(*) FILTER (WHERE is_new)::int AS added, count(*) FILTER (WHERE NOT is_new)::int AS changed FROM differing`;
      return changes ?? { added: 0, changed: 0 };
    },
  };
}

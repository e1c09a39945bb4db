import { modelRows, type Database } from '#lib/platform';

/** A row of the profile table. */
type ProfileRow = NonNullable<Awaited<ReturnType<Database['profile']['findUnique']>>>;

export interface Profiles {
  /** One indexed read; null when the tenant has no such user. */
  readonly find: (tenantId: string, userId: string) => Promise<ProfileRow | null>;
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
  };
}

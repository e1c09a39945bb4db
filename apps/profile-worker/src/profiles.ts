import type { Database } from '#lib/platform';

/** A row of the profile table. */
type ProfileRow = NonNullable<Awaited<ReturnType<Database['profile']['findUnique']>>>;

export interface Profiles {
  /** One indexed read; null when the tenant has no such user. */
  readonly find: (tenantId: string, userId: string) => Promise<ProfileRow | null>;
}

export function profilesIn(database: Pick<Database, 'profile'>): Profiles {
  return { find: (tenantId, userId) => database.profile.findUnique({ where: { tenantId_userId: { tenantId, userId } } }) };
}

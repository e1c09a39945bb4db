import { userProfileLookup } from '#lib/contracts';
import { handle } from '../services.js';

/** The gateway checks who may read the user; the read is limited to the caller's tenant here as well. */
export const handleUserProfileLookup = handle(userProfileLookup, async ({ user_id }, { profiles, caller, network, error }) => {
  const profile = await network(() => profiles.find(caller.tenantId, user_id));
  if (!profile) throw error('USER_NOT_FOUND', `There is no user '${user_id}'`);
  return {
    user_id: profile.userId,
    age: profile.age,
    gender: profile.gender,
    height_cm: profile.heightCm,
    weight_kg: profile.weightKg,
    activity_level: profile.activityLevel,
    health_goals: profile.healthGoals,
    medical_conditions: profile.medicalConditions,
    dietary_restrictions: profile.dietaryRestrictions,
    last_updated: profile.lastUpdated.toISOString(),
  };
});

/** From least to most active (AW-09). Profiles and calculations use the same five words. */
export const activityLevels = ['sedentary', 'light', 'moderate', 'active', 'very_active'] as const;
export type ActivityLevel = (typeof activityLevels)[number];

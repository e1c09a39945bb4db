/** Least to most active (AW-09); the same five words in a profile and in a calculation. */
export const activityLevels = ['sedentary', 'light', 'moderate', 'active', 'very_active'] as const;
export type ActivityLevel = (typeof activityLevels)[number];

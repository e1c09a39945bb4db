/** Least to most active, in the words of the AuraWell document. */
export const activityLevels = ['sedentary', 'light', 'moderate', 'active', 'very_active'] as const;

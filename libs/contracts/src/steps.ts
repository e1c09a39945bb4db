/** Steps that one call may have. */
export const mostSteps = 1_000;
/** What one of them may give, in bytes of JSON. */
export const mostStepBytes = 1_048_576;
/** What all of them may give. */
export const mostStepsBytes = 8 * 1_048_576;
/** Characters of a name. */
export const mostStepNameCharacters = 200;

/** What is kept of a step: what it gave, or, of a sleep, when it is over, in epoch milliseconds. */
export type KeptStep = { readonly kind: 'step'; readonly data?: unknown } | { readonly kind: 'sleep'; readonly until: number };

/** How long an ended invocation can be read, and an idempotency key holds: 24 hours. */
export const recordLifeMs = 24 * 3_600_000;
/** Open records outlive their deadline by a day, so that an end always finds its record; none lives longer than this. */
export const openLifeMs = 2 * recordLifeMs;
/** Calls that may rest in a partition. Each has some 2 KB in Redis, and its parameters. */
export const mostResting = 1_000_000;

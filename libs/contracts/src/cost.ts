/** The most that a contract may say of one call: 1,000 US dollars, in millionths of one. */
export const mostCostMicros = 1_000_000_000;

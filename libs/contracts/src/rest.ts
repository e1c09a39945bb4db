/** What a call rests for: a person, an account, something from outside, or a time. */
export const restReasons = ['approval', 'question', 'connection', 'event', 'sleep', 'scheduled'] as const;
export type RestReason = (typeof restReasons)[number];

/** The longest rest: a year, as every leap year has it. */
export const mostRestMs = 366 * 86_400_000;

/** The rest of a call. Times are epoch milliseconds. */
export interface Rest {
  readonly reason: RestReason;
  readonly since: number;
  /** When it ends by itself. */
  readonly until: number;
}

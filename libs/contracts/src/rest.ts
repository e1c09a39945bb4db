/** What a call rests for: a person, an account, something from outside, a time, the end of a pause, or other calls. */
export const restReasons = ['approval', 'question', 'connection', 'event', 'sleep', 'scheduled', 'paused', 'flow'] as const;
export type RestReason = (typeof restReasons)[number];

/** Rests that a handler asks for: what it waits for may come before their end. */
export const handlerRests: readonly RestReason[] = ['question', 'connection', 'event', 'sleep'];

/** The name of what a chat turn waits for while one of its calls rests for an input request. */
export function inputWait(inputRequest: string): string {
  return `input ${inputRequest}`;
}

/**
 * The longest rest: a year, as every leap year has it.
 * @limit calls: time until a call runs later, or that it rests for an answer; INVALID_PARAMS
 */
export const mostRestMs = 366 * 86_400_000;

/** A pause that a call waits for. */
export interface PausedBy {
  /** Another one with each change. */
  readonly id: string;
  readonly name: string;
  /** Why people made it. */
  readonly why: string;
}

/** A line in which a call waits for others, as it stood when that was told. */
export interface WaitsInLine {
  /** The name of the flow. */
  readonly name: string;
  /** In words: `waits for 2 others of account 17`. */
  readonly text: string;
  /** From 1. */
  readonly place: number;
}

/** The rest of a call. Times are epoch milliseconds. */
export interface Rest {
  readonly reason: RestReason;
  readonly since: number;
  /** When it ends by itself. */
  readonly until: number;
  /** The id of what a person is asked. */
  readonly inputRequest?: string | undefined;
  readonly pause?: PausedBy | undefined;
  readonly flow?: WaitsInLine | undefined;
}

/** What a person has said to an input request. It is written with the change that it makes, so that nothing can be lost between them. */
export interface Decision {
  /** The id of the input request. */
  readonly request: string;
  readonly action: 'accept' | 'decline' | 'cancel';
  /** The principal who decided. */
  readonly by: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly reason?: string | undefined;
  /** True where the parameters are not those of the caller any more. */
  readonly edited?: boolean | undefined;
}

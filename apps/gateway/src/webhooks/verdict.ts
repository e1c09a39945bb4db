// What follows from the answer to one try, by Standard Webhooks 1.0.0.

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Pauses before the second try and each one after it: the schedule of the standard up to the first one past a day. */
export const retryPausesMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
];
/** A pause is up to this part longer, by chance: what failed together does not come back together. */
const jitter = 0.1;
/** The longest `Retry-After` that is followed. */
const mostHoldMs = 24 * hourMs;
/** What a receiver says that has too much to do is followed for so long, where it does not say how long. */
const holdMs = 5 * secondMs;
/** A webhook whose every try has failed for so long is disabled. */
export const failsForMs = 5 * 24 * hourMs;

const gone = 410;
/** The receiver, or what stands before it, has too much to do. */
const busy: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** What came of a try. */
export interface TryAnswer {
  /** Null where no answer came. */
  readonly status: number | null;
  /** The header `Retry-After`. */
  readonly retryAfter: string | null;
  /** What was wrong, in words; null where nothing was. */
  readonly error: string | null;
}

export type Verdict =
  | { readonly state: 'succeeded' }
  | {
      /** `waiting` for another try. */
      readonly state: 'waiting' | 'failed';
      /** Epoch ms; null where it is not tried again. */
      readonly dueAt: number | null;
      /** Until then nothing is sent to this webhook, in epoch ms; null where it may be. */
      readonly heldUntil: number | null;
      /** Why the webhook is disabled; null where it is not. */
      readonly disables: string | null;
    };

/** A try, and what is known of its webhook. */
export interface Tried {
  /** Tries of this delivery, this one included. */
  readonly tries: number;
  /** Since when every try of the webhook has failed, in epoch ms; null where the last one has not. */
  readonly failingSince: number | null;
  /** When the answer came, epoch ms. */
  readonly now: number;
  /** 0–1. */
  readonly chance: number;
}

export function verdictOn({ status, retryAfter }: TryAnswer, { tries, failingSince, now, chance }: Tried): Verdict {
  if (status !== null && status >= 200 && status < 300) return { state: 'succeeded' };
  if (status === gone) return { state: 'failed', dueAt: null, heldUntil: null, disables: 'The receiver has answered 410 Gone' };
  const askedMs = retryAfterMs(retryAfter, now);
  const isBusy = status !== null && busy.has(status);
  const heldUntil = askedMs !== null || isBusy ? now + (askedMs ?? holdMs) : null;
  const disables = failingSince !== null && now - failingSince >= failsForMs ? 'Every try has failed for five days' : null;
  const pauseMs = retryPausesMs[tries - 1];
  if (pauseMs === undefined) return { state: 'failed', dueAt: null, heldUntil, disables };
  return { state: 'waiting', dueAt: Math.ceil(Math.max(now + pauseMs * (1 + jitter * chance), heldUntil ?? 0)), heldUntil, disables };
}

/** Seconds, or a date of HTTP (RFC 9110, section 10.2.3). Null for what is neither. */
function retryAfterMs(text: string | null, now: number): number | null {
  if (text === null) return null;
  const asked = /^\d{1,10}$/.test(text) ? Number(text) * secondMs : Date.parse(text) - now;
  return Number.isNaN(asked) ? null : Math.min(mostHoldMs, Math.max(0, asked));
}

interface EventuallyOptions {
  /** Default 10 s. */
  readonly withinMs?: number;
  /** Names the condition in the error message. */
  readonly what?: string;
}

/** Between two looks, in ms: a tenth of the time that was waited, within these bounds. To look costs the processes that are waited for. */
const [leastMs, mostMs] = [10, 100];

/** Calls the condition again and again until it gives something other than false, null or undefined. Throws when the time is over. */
export async function eventually<T>(
  condition: () => Promise<T> | T,
  { withinMs = 10_000, what = 'the condition' }: EventuallyOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const begun = performance.now();
  for (;;) {
    const last = await condition();
    if (isThere(last)) return last;
    const waitedMs = performance.now() - begun;
    if (waitedMs > withinMs) throw new Error(`${what} did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(mostMs, Math.max(leastMs, waitedMs / 10))));
  }
}

function isThere<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}

interface EventuallyOptions {
  /** Default 10 s. */
  readonly withinMs?: number;
  /** Names the condition in the error message. */
  readonly what?: string;
}

const everyMs = 25;

/** Calls the condition every 25 ms until it gives something other than false, null or undefined. Throws when the time is over. */
export async function eventually<T>(
  condition: () => Promise<T> | T,
  { withinMs = 10_000, what = 'the condition' }: EventuallyOptions = {},
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const last = await condition();
    if (isThere(last)) return last;
    if (performance.now() > deadline) throw new Error(`${what} did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

function isThere<T>(value: T): value is Exclude<T, false | null | undefined> {
  return value !== false && value !== null && value !== undefined;
}

/** That a stream which always says something has said nothing for too long: whoever sends it hangs, or the line is dead. */
class Silence extends Error {
  override readonly name = 'Silence';
}

/** The same values; throws Silence when the next one does not come in time. */
export async function* untilSilent<Value>(values: AsyncIterable<Value>, ms: number): AsyncGenerator<Value> {
  const iterator = values[Symbol.asyncIterator]();
  for (;;) {
    const silent = Promise.withResolvers<never>();
    const timer = setTimeout(() => silent.reject(new Silence(`nothing was said for ${ms} ms`)), ms);
    const next = iterator.next();
    try {
      const { done, value } = await Promise.race([next, silent.promise]);
      if (done === true) return;
      yield value;
    } catch (error) {
      // What was asked for still comes, or fails, and nobody waits for it.
      next.catch(() => undefined);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }
}

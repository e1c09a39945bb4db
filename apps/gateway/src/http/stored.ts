import { Refusal } from '#lib/contracts';

const retryMs = 1_000;

/**
 * Runs work on a store of the gateway. Throws NETWORK_ERROR with the message and the fault as its cause, which the problem
 * filter logs. What `work` refuses stays as it is. Beside that only the database may fail in it: a fault of our own would be called a
 * network error too.
 * @param message for the caller: which store cannot be reached
 */
export async function stored<T>(message: string, work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    if (cause instanceof Refusal) throw cause;
    const refusal = new Refusal('NETWORK_ERROR', message, { retry_after_ms: retryMs });
    refusal.cause = cause;
    throw refusal;
  }
}

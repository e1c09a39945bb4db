import { Refusal } from '#lib/contracts';
import { FileStoreError, isRedisFault } from '#lib/transport';

/** Whatever was thrown, as a refusal. Faults that are not known become EXECUTION_ERROR, without their text. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (isRedisFault(error)) return new Refusal('NETWORK_ERROR', 'The queue cannot be reached at the moment', { retry_after_ms: 1_000 });
  if (error instanceof FileStoreError && !error.gone)
    return new Refusal('NETWORK_ERROR', 'The file store cannot be reached at the moment', { retry_after_ms: 1_000 });
  return new Refusal('EXECUTION_ERROR', 'Something failed on our side; it is logged under the trace id');
}

import type { Logger } from '#lib/platform';
import type { AttemptWrites } from '#lib/transport';

/** Progress beyond these limits is not written. */
const progressEveryMs = 50;
/** @limit calls: progress events of an attempt; further progress is left out */
const maxProgressEvents = 1_000;
/** @limit calls: characters of the message of a progress event; it is cut */
const maxMessageCharacters = 1_000;

interface ProgressWriterParts {
  readonly attempts: Pick<AttemptWrites, 'progress'>;
  readonly log: Pick<Logger, 'warn'>;
  readonly jobId: string;
  readonly attempt: number;
  /** The invocation has ended, or a later attempt has it. */
  readonly onUnwanted: () => void;
}

/** Writes the progress of a handler, at most every 50 ms and 1,000 times, 1,000 characters each. Progress that cannot be written is lost, and that is logged. */
export function progressWriter({
  attempts,
  log,
  jobId,
  attempt,
  onUnwanted,
}: ProgressWriterParts): (progress: number, message: string) => void {
  let last = { at: 0, progress: -1 };
  let written = 0;
  return (progress, message) => {
    const now = Date.now();
    const flood = now - last.at < progressEveryMs && progress < 100;
    if (flood || progress === last.progress || written >= maxProgressEvents) return;
    last = { at: now, progress };
    written += 1;
    attempts.progress(jobId, attempt, { kind: 'progress', progress, message: message.slice(0, maxMessageCharacters).toWellFormed() }).then(
      (wanted) => {
        if (!wanted) onUnwanted();
      },
      (error: unknown) => log.warn({ event: 'progress-lost', job_id: jobId, err: error }, 'progress could not be written'),
    );
  };
}

import { onceASecond, type Logger } from '#lib/platform';

export function reportingFlows(log: Logger): (error: unknown) => void {
  return onceASecond((error: unknown) =>
    log.warn({ event: 'flows-fault', err: error }, 'flows could not be read or applied; calls that wait go on later'),
  );
}

export function reportingPauses(log: Logger): (error: unknown) => void {
  return onceASecond((error: unknown) =>
    log.warn({ event: 'pauses-fault', err: error }, 'pauses could not be read or applied; they stay as they were, and it is tried again'),
  );
}

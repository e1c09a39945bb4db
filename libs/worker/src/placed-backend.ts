import type { BackendFactory, RedisQueueBackend } from 'bullmq';
import type { Places } from './places.js';

type Taking = 'moveToActive' | 'moveToCompleted' | 'moveToFailed' | 'waitForJob';

interface PlacedParts {
  readonly places: Places;
  /** Wakes a worker of this queue, whichever waits. */
  readonly wakeOthers: () => Promise<unknown>;
  /** Called after a wait for a place: what the backend knew of its queue before is old. */
  readonly onPlace: () => void;
}

/**
 * A backend whose queue takes a job only when the process has a place for it. The place is the job's until `leave` is called for it, when
 * its attempt has returned. A queue that finds none waits where BullMQ waits for jobs, so what it runs already goes on.
 */
export function placedBackend(
  make: BackendFactory<RedisQueueBackend>,
  { places, wakeOthers, onPlace }: PlacedParts,
): BackendFactory<RedisQueueBackend> {
  return (name, opts, extra) => {
    const backend = make(name, opts, extra);
    const { moveToActive, moveToCompleted, moveToFailed, waitForJob } = backend;
    /** A place that was waited for, and is for the next job. */
    let isReserved = false;
    const keepFor = (taken: unknown): void => {
      if (!needsPlace(taken)) places.leave();
    };
    /** What takes the next job with a place that was entered for it. */
    const takeNext = async <T>(take: Promise<T>, nextOf: (answer: T) => unknown): Promise<T> => {
      try {
        const answer = await take;
        keepFor(nextOf(answer));
        return answer;
      } catch (error) {
        places.leave();
        throw error;
      }
    };
    const placed: Pick<RedisQueueBackend, Taking> = {
      moveToActive: async (...args) => {
        const hasPlace = isReserved || places.tryEnter();
        isReserved = false;
        if (hasPlace) return takeNext(moveToActive.apply(backend, args), (answer) => answer);
        // What woke this queue wakes another process instead, or this one once it has a place.
        await wakeOthers();
        return [null, 0, 0, 0];
      },
      waitForJob: async (...args) => {
        if (places.isFree) return waitForJob.apply(backend, args);
        // We may be the only one who knows when the next delayed job is due: its marker is gone.
        await wakeOthers();
        isReserved = await places.enter();
        onPlace();
        return isReserved ? { member: '0', score: 0 } : null;
      },
      moveToCompleted: async (...[job, value, removal, token, fetchNext]) => {
        const takes = fetchNext && places.tryEnter();
        const completing = moveToCompleted.call(backend, job, value, removal, token, takes);
        return takes ? takeNext(completing, ({ result }) => result) : completing;
      },
      moveToFailed: async (...[job, reason, removal, token, fetchNext, fields]) => {
        const takes = fetchNext && places.tryEnter();
        const failing = moveToFailed.call(backend, job, reason, removal, token, takes, fields);
        return takes ? takeNext(failing, ({ result }) => result) : failing;
      },
    };
    return Object.assign(backend, placed);
  };
}

/** Whether BullMQ runs an attempt of what a queue gave out: there may be nothing, or a job that it has given up. */
function needsPlace(taken: unknown): boolean {
  if (!Array.isArray(taken)) return false;
  const job: unknown = taken[0];
  return typeof job === 'object' && job !== null && !('deferredFailure' in job && job.deferredFailure);
}

import { handlerRests, type Decision, type HookName, type ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { partitionOfJob, queuedJob, type CallHead, type InvocationStore } from '#lib/transport';

export interface AnsweringParts {
  readonly store: Pick<InvocationStore, 'read' | 'isBack' | 'resting' | 'steps'>;
  readonly contractOf: (head: CallHead) => ToolContract | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** Epoch ms, the same for all processes. */
  readonly now: () => number;
}

export interface HookAnswer {
  /** What a call waits for. */
  readonly hook: HookName;
  readonly data: unknown;
  /** Of the person who answers. */
  readonly decision?: Decision | undefined;
}

/**
 * Keeps what a call waits for, and wakes it where it rests for it. Throws RangeError where it is too large.
 * @returns false when that was done before, nobody waits for it any more, or the call has ended
 */
export async function answerWaiting(parts: AnsweringParts, { hook, data, decision }: HookAnswer): Promise<boolean> {
  const { store, log, now } = parts;
  const answer = async () => store.steps.answer(hook, data, { now: now(), decision });
  const isKept = (await answer()) || ((await store.isBack(hook.jobId)) && (await answer()));
  // It is due from now on: who wakes calls would find it within a second.
  if (isKept)
    await wake(parts, hook.jobId).catch((err: unknown) =>
      log.warn({ event: 'hook-wake', job_id: hook.jobId, err }, 'a call that has its answer wakes later'),
    );
  return isKept;
}

async function wake({ store, contractOf }: AnsweringParts, jobId: string): Promise<void> {
  const record = await store.read(jobId);
  if (!record?.rest || !handlerRests.includes(record.rest.reason)) return;
  const job = queuedJob({ ...record, contract: contractOf(record.head) });
  await store.resting.wake(partitionOfJob(jobId), [{ record, job }]);
}

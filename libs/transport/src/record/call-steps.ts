import { answerOf, mostStepBytes, mostSteps, mostStepsBytes, type Decision, type HookName, type KeptStep } from '#lib/contracts';
import { partitionOfJob } from '../redis/partition.js';
import type { RedisClient } from '../redis/redis-client.js';
import type { RedisKeys } from '../redis/redis-keys.js';
import { listOf } from '../redis/script.js';
import type { Writes } from '../redis/writes.js';
import { answerHook } from '../scripts/answer-hook.js';
import { keepStep } from '../scripts/keep-step.js';
import { decode, encode } from './codec.js';
import type { Sealer } from './sealing.js';

interface CallStepsParts {
  readonly redis: RedisClient;
  readonly keys: RedisKeys;
  readonly sealer: Sealer;
  readonly writes: Writes;
}

/** A step of a call that runs, by its attempt and by the token of the lock of its job. */
interface KeepRequest {
  readonly jobId: string;
  readonly attempt: number;
  readonly token: string;
  readonly name: string;
  readonly step: KeptStep;
}

/** What the finished steps of calls gave, sealed, until the calls end. */
export class CallSteps {
  readonly #parts: CallStepsParts;

  constructor(parts: CallStepsParts) {
    this.#parts = parts;
  }

  /**
   * Keeps one. Throws RangeError where it is too large, or there are too many.
   * @returns what is kept under the name: the first holds. Null when a later attempt has the call, it has ended, or its job is in other hands
   */
  async keep({ jobId, attempt, token, name, step }: KeepRequest): Promise<KeptStep | null> {
    const { redis, keys, sealer, writes } = this.#parts;
    const text = encode.step(step);
    const size = Buffer.byteLength(text);
    if (size > mostStepBytes) throw new RangeError(`The step "${name}" gave ${size} bytes of JSON; at most ${mostStepBytes} are kept`);
    const value = sealer.sealText(text, purposeOf(jobId, name));
    const reply = await writes.run(async () =>
      keepStep.run(redis, {
        keys: { invocation: keys.invocation(jobId), steps: keys.steps(jobId), job: keys.job(jobId) },
        args: { attempt, token, name, value, size, maxSteps: mostSteps, maxBytes: mostStepsBytes },
      }),
    );
    const [kind, known] = listOf(reply);
    switch (kind) {
      case 'kept':
        return step;
      case 'known':
        return this.#open(jobId, name, String(known));
      case 'too-many':
        throw new RangeError(`A call may have ${mostSteps} steps`);
      case 'full':
        throw new RangeError(`The steps of a call may give ${mostStepsBytes} bytes of JSON in all`);
      default:
        return null;
    }
  }

  /** What earlier attempts have kept, by name. */
  async earlier(jobId: string): Promise<ReadonlyMap<string, KeptStep>> {
    const found = await this.#parts.redis.hgetall(this.#parts.keys.steps(jobId));
    return new Map(Object.entries(found).map(([name, value]) => [name, this.#open(jobId, name, value)]));
  }

  /**
   * Keeps what a hook was called with, or a question answered with.
   * @param decision of the person who answers
   * @returns false when that was done before, nobody waits for it any more, or the call has ended. Throws RangeError where it is too large
   */
  async answer(
    { jobId, name }: HookName,
    data: unknown,
    { now, decision }: { readonly now: number; readonly decision?: Decision | undefined },
  ): Promise<boolean> {
    const { redis, keys, sealer, writes } = this.#parts;
    const text = encode.step({ kind: 'answer', data });
    const size = Buffer.byteLength(text);
    if (size > mostStepBytes) throw new RangeError(`An answer has at most ${mostStepBytes} bytes of JSON`);
    const field = answerOf(name);
    const value = sealer.sealText(text, purposeOf(jobId, field));
    const reply = await writes.run(async () =>
      answerHook.run(redis, {
        keys: { invocation: keys.invocation(jobId), steps: keys.steps(jobId), resting: keys.resting(partitionOfJob(jobId)) },
        args: {
          jobId,
          now: Math.floor(now),
          name: field,
          value,
          size,
          maxSteps: mostSteps,
          maxBytes: mostStepsBytes,
          decision: decision ? encode.decision(decision) : '',
        },
      }),
    );
    if (reply === 'full') throw new RangeError('The call has no room for more');
    return reply === 'kept';
  }

  #open(jobId: string, name: string, value: string): KeptStep {
    return decode.step(this.#parts.sealer.openText(value, purposeOf(jobId, name)));
  }
}

/** What was put in the place of another step cannot be opened. */
function purposeOf(jobId: string, name: string): string {
  return `step of a call: ${jobId} ${name}`;
}

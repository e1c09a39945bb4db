import { answerOf, mostStepBytes, type AttemptFrame, type KeptStep } from '#lib/contracts';
import type { StepRecords } from '#lib/handlers';
import type { Message } from './protocol.js';

interface StepMessage extends Message {
  readonly attempt: string;
  readonly name: string;
}

interface KeptByGateway {
  /** Whether the gateway keeps steps; older ones do not. */
  readonly isKnown: boolean;
  /** Whether it asks callers. */
  readonly asks: boolean;
  /** Resolves when it is kept. */
  readonly send: (message: StepMessage) => Promise<void>;
}

/** The steps of an attempt, which the gateway keeps. A sleep and a question are told with the rest: their time is counted by the gateway's clock. */
export function keptByGateway({ attempt, earlier_steps = [] }: AttemptFrame, { isKnown, asks, send }: KeptByGateway): StepRecords {
  return {
    now: Date.now,
    earlier: async () => {
      if (!isKnown) throw new Error('This gateway keeps no steps: it is of an older version');
      return new Map(earlier_steps.map(earlierOf));
    },
    keep: async (name, step) => {
      if (step.kind !== 'step') return step;
      const bytes = Buffer.byteLength(JSON.stringify(step.data) ?? '');
      if (bytes > mostStepBytes) throw new RangeError(`The step "${name}" gave ${bytes} bytes of JSON; at most ${mostStepBytes} are kept`);
      await send({ type: 'step', attempt, name, ...(step.data !== undefined && { data: step.data }) });
      return step;
    },
    // The question goes with the rest.
    ask: asks ? async () => undefined : null,
  };
}

function earlierOf({ name, kind, data, over, state }: NonNullable<AttemptFrame['earlier_steps']>[number]): [string, KeptStep] {
  if (kind === 'sleep') return [name, { kind, until: over ? 0 : Number.POSITIVE_INFINITY }];
  if (kind !== 'hook' && kind !== 'question') return [name, { kind: 'step', data }];
  if (state === 'called' || state === 'answered') return [answerOf(name), { kind: 'answer', data }];
  if (state === 'timeout') return [answerOf(name), { kind: 'timeout' }];
  return [name, { kind, id: '', until: Number.POSITIVE_INFINITY }];
}

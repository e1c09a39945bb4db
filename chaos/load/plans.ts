// The calls that a run is made of.
import { calcMetrics, userProfileLookup, wholeDeadlineMs } from '#lib/contracts';
import { completeProfile } from '#lib/testing';
import { labCoalesced } from '../../test/lab/contracts/lab-coalesced.js';
import { labEffect } from '../../test/lab/contracts/lab-effect.js';
import { labPaid } from '../../test/lab/contracts/lab-paid.js';
import { labPoison } from '../../test/lab/contracts/lab-poison.js';
import { labSteps } from '../../test/lab/contracts/lab-steps.js';
import type { CallLog } from '../history/call-log.js';
import type { CallKind } from '../history/history.js';
import type { Random } from '../random.js';
import { callAndCancel, callAndPoll } from './async-call.js';
import type { CallParts } from './call-parts.js';
import { callAsJson } from './json-call.js';
import { servedApprovedFacts, servedEffectFacts, servedStepsFacts } from './served-effect.js';
import { callAsStream, followJob } from './stream-call.js';

export interface CallPlan {
  readonly kind: CallKind;
  /** Whose call it is, by the `user` of another; of any user when absent. */
  readonly user?: string;
  readonly run: (parts: CallParts) => Promise<void>;
}

/** Makes an effect at the ledger, and waits for it. */
export function effect(options: { readonly witness?: boolean } = {}): CallPlan {
  return {
    kind: 'effect',
    run: (parts) =>
      callAsJson(parts, { tool: labEffect.name, input: { order: parts.log.id, ...options }, deadlineMs: wholeDeadlineMs(labEffect) }),
  };
}

/** The same by a worker of a user. */
export function servedEffect(): CallPlan {
  const deadlineMs = wholeDeadlineMs({ ...labEffect, ...servedEffectFacts });
  return {
    kind: 'effect',
    run: (parts) => callAsJson(parts, { tool: servedEffectFacts.name, input: { order: parts.log.id }, deadlineMs }),
  };
}

/** The same as a step before a rest, polled for: who waits would be answered that the call rests. */
export function servedSteps(): CallPlan {
  const deadlineMs = 4 * wholeDeadlineMs({ ...labEffect, ...servedStepsFacts });
  return {
    kind: 'async',
    run: (parts) => callAndPoll(parts, { tool: servedStepsFacts.name, input: { order: parts.log.id }, deadlineMs }),
  };
}

/** The same after an approval, polled for. */
export function servedApproved(): CallPlan {
  const deadlineMs = 4 * wholeDeadlineMs({ ...labEffect, ...servedApprovedFacts });
  return {
    kind: 'async',
    run: (parts) => callAndPoll(parts, { tool: servedApprovedFacts.name, input: { order: parts.log.id }, deadlineMs }),
  };
}

/** The same, polled for. */
export function polledEffect(options: { readonly witness?: boolean } = {}): CallPlan {
  const deadlineMs = wholeDeadlineMs(labEffect);
  return {
    kind: 'async',
    run: (parts) => callAndPoll(parts, { tool: labEffect.name, input: { order: parts.log.id, ...options }, deadlineMs }),
  };
}

/** The same by a tool that costs something. */
export function paidEffect(): CallPlan {
  const deadlineMs = wholeDeadlineMs(labPaid);
  return { kind: 'async', run: (parts) => callAndPoll(parts, { tool: labPaid.name, input: { order: parts.log.id }, deadlineMs }) };
}

function calculation(random: Random): CallPlan {
  const input = {
    height_cm: random.integer(150, 200),
    weight_kg: random.integer(50, 100),
    age: random.integer(18, 80),
    gender: random.pick(['male', 'female']),
    activity_level: 'moderate',
  };
  return { kind: 'calc', run: (parts) => callAsJson(parts, { tool: calcMetrics.name, input, deadlineMs: wholeDeadlineMs(calcMetrics) }) };
}

/** Reads Postgres. With a key it is not answered from the cache. */
function lookup(): CallPlan {
  const input = { user_id: completeProfile.user_id };
  const deadlineMs = wholeDeadlineMs(userProfileLookup);
  return { kind: 'lookup', run: (parts) => callAsJson(parts, { tool: userProfileLookup.name, input, deadlineMs }) };
}

export function steps(count: number, stepMs: number): CallPlan {
  return {
    kind: 'stream',
    run: (parts) =>
      callAsStream(parts, {
        tool: labSteps.name,
        input: { order: parts.log.id, steps: count, step_ms: stepMs },
        deadlineMs: wholeDeadlineMs(labSteps),
      }),
  };
}

/** A read that counts its attempts at the ledger, with a timeout of half a minute. */
export function slowRead(): CallPlan {
  return {
    kind: 'read',
    run: (parts) =>
      callAsJson(parts, { tool: labCoalesced.name, input: { order: parts.log.id }, deadlineMs: wholeDeadlineMs(labCoalesced) }),
  };
}

/** Harms its worker. */
export function poison(how: 'exit' | 'unhandled' | 'block', blockMs = 0): CallPlan {
  return {
    kind: 'poison',
    run: (parts) =>
      callAsJson(parts, {
        tool: labPoison.name,
        input: { order: parts.log.id, how, block_ms: blockMs },
        deadlineMs: wholeDeadlineMs(labPoison),
      }),
  };
}

/** Long work that its client cancels after a while. */
export function cancelled(afterMs: number): CallPlan {
  return {
    kind: 'cancel',
    run: (parts) =>
      callAndCancel(parts, {
        tool: labSteps.name,
        input: { order: parts.log.id, steps: 100, step_ms: 100 },
        deadlineMs: wholeDeadlineMs(labSteps),
        cancelAfterMs: afterMs,
      }),
  };
}

/** Follows the job that another call of the same user has started, from its first event. */
export function follow({ user, jobId }: Pick<CallLog, 'user' | 'jobId'>): CallPlan {
  if (jobId === null) throw new RangeError('No answer has named the job yet');
  return { kind: 'follow', user, run: (parts) => followJob(parts, jobId) };
}

/** What an ordinary client does next. */
export function anyCall(random: Random): CallPlan {
  const share = random.next();
  if (share < 0.35) return effect();
  if (share < 0.5) return calculation(random);
  if (share < 0.6) return lookup();
  if (share < 0.8) return steps(random.integer(5, 20), 100);
  return polledEffect();
}

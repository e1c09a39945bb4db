// The calls that a run is made of.
import { calcMetrics, wholeDeadlineMs } from '#lib/contracts';
import { labCoalesced } from '../../test/lab/contracts/lab-coalesced.js';
import { labEffect } from '../../test/lab/contracts/lab-effect.js';
import { labSteps } from '../../test/lab/contracts/lab-steps.js';
import type { CallKind } from '../history/history.js';
import type { Random } from '../random.js';
import { callAndPoll } from './async-call.js';
import type { CallParts } from './call-parts.js';
import { callAsJson } from './json-call.js';
import { callAsStream } from './stream-call.js';

export interface CallPlan {
  readonly kind: CallKind;
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

/** The same, polled for. */
function polledEffect(): CallPlan {
  return {
    kind: 'async',
    run: (parts) => callAndPoll(parts, { tool: labEffect.name, input: { order: parts.log.id }, deadlineMs: wholeDeadlineMs(labEffect) }),
  };
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

/** What an ordinary client does next. */
export function anyCall(random: Random): CallPlan {
  const share = random.next();
  if (share < 0.35) return effect();
  if (share < 0.6) return calculation(random);
  if (share < 0.8) return steps(random.integer(5, 20), 100);
  return polledEffect();
}

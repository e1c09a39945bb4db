import type { ToolContract } from '../define-tool.js';
import type { Outcome } from '../envelope.js';
import { toAurawell } from './aurawell.js';
import { toStripe } from './stripe.js';
import { toMemotree } from './memotree.js';

type Source = NonNullable<ToolContract['source']>;

/** The source documents that have routes of their own, `POST /<source>/<tool>`, and the shape of each one's answers (C-01). */
export const nativeShapes: Readonly<Partial<Record<Source, (outcome: Outcome) => unknown>>> = {
  aurawell: toAurawell,
  stripe: toStripe,
  memotree: toMemotree,
};

/** The outcome with the fields that the source document names, where the contract says that those are fewer. */
export function nativeOutcome(outcome: Outcome, contract: ToolContract | undefined): Outcome {
  return outcome.ok && contract?.nativeOutput ? { ...outcome, data: contract.nativeOutput.parse(outcome.data) } : outcome;
}

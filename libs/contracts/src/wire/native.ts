import type { ToolContract } from '../define-tool.js';
import type { Outcome } from '../envelope.js';
import { toAurawell } from './aurawell.js';
import { toStripe } from './stripe.js';
import { toMemotree } from './memotree.js';

type Source = NonNullable<ToolContract['source']>;

/** The answer format of each source document, for its native routes `POST /<source>/<tool>` (C-01). */
export const nativeShapes: Readonly<Partial<Record<Source, (outcome: Outcome) => unknown>>> = {
  aurawell: toAurawell,
  stripe: toStripe,
  memotree: toMemotree,
};

/** The outcome with only those fields of the data that the source document has, where the contract names fewer. */
export function nativeOutcome(outcome: Outcome, contract: ToolContract | undefined): Outcome {
  return outcome.ok && contract?.nativeOutput ? { ...outcome, data: contract.nativeOutput.parse(outcome.data) } : outcome;
}

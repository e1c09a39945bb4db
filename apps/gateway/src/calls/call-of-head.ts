import type { ToolContract } from '#lib/contracts';
import type { Answer } from './answer.js';
import type { CallOptions } from './options.js';

/** What the head of a request says of its call, and how its door answers. Nothing but the parameters is in the body. */
export interface CallOfHead {
  readonly tool: string;
  readonly options: CallOptions;
  /** Answers tools of this source document alone. */
  readonly source?: ToolContract['source'];
  /** What is sent; the unified envelope when absent. */
  readonly shape?: (answer: Answer) => unknown;
}

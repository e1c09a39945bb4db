import { completeError, type Caller, type ToolContract, type ToolError } from '#lib/contracts';
import type { UpstreamAnswer } from './upstream-answers.js';

/** What every handler gets besides its services. */
export interface ToolContext {
  readonly caller: Caller;
  /** The working session that the caller named. */
  readonly sessionId: string | null;
  /** Fires on timeout, cancellation, deadline and shutdown. Pass it on to everything that waits. */
  readonly signal: AbortSignal;
  /** The same over all attempts of one invocation: what an effect is keyed by, so a second run finds the first one's. */
  readonly effectKey: string;
  readonly attempt: number;
  /** The outward trace id of the call. */
  readonly traceId: string;
  /** Tells followers something in the tool's own words, in order. Resolves when it is stored; then the next may be told. */
  readonly output: (data: readonly unknown[]) => Promise<void>;
  /** What earlier runs of this invocation have told, in order: where a run that was cut off goes on from. */
  readonly earlierOutput: () => Promise<readonly unknown[]>;
  /** Tells followers how far it is. @param percent 0–100; lower than before is raised to it. */
  readonly progress: (percent: number, message: string) => void;
  /** A sentence for people beside the data. */
  readonly setMessage: (message: string) => void;
  readonly warn: (warning: string) => void;
  /** How the answer came about; shown with `debug` outside production, and nowhere else. */
  readonly addDebugInfo: (facts: Readonly<Record<string, unknown>>) => void;
  /**
   * What an API of an upstream answered, for `debug_info.internal_api_response` (C-84). Kept for callers who asked for it
   * alone, masked and bounded; what is a secret by the API's own rules must be taken out before.
   */
  readonly recordUpstreamAnswer: (answer: UpstreamAnswer) => void;
  /** Facts of this call for its log record and its span. Nothing that must not be seen there. */
  readonly recordFacts: (facts: Facts) => void;
  /**
   * Names the version that the answer will have, for its `ETag`. Ends the call here when the caller has that version
   * already, so nothing more need be read.
   */
  readonly version: (tag: string) => void;
  /** Runs work that waits for an upstream or a store, and counts its time as network time. */
  readonly network: <T>(work: () => Promise<T>) => Promise<T>;
  /** Makes the error of a literal that the contract declares; handlers use `error`, which is typed by it. */
  readonly refusal: MakeRefusal;
}

export type Facts = Readonly<Record<string, string | number | boolean>>;

/** Thrown by `version`: the caller has this answer. */
export class Unchanged extends Error {
  override readonly name = 'Unchanged';
}

type MakeRefusal = (literal: string, message: string, rest?: Partial<Pick<ToolError, 'details' | 'extra'>>) => ToolRefusal;

/** `throw error('USER_NOT_FOUND', '…')`: only literals of the contract compile. */
export interface RefuseWith<Literal extends string> {
  readonly error: (literal: Literal, message: string, rest?: Partial<Pick<ToolError, 'details' | 'extra'>>) => ToolRefusal;
}

/** A handler's own no. It ends the invocation as a result: nothing is tried again. */
export class ToolRefusal extends Error {
  override readonly name = 'ToolRefusal';
  readonly error: ToolError;

  constructor(error: ToolError) {
    super(error.message);
    this.error = error;
  }
}

export function refusalFor(contract: ToolContract): MakeRefusal {
  return (literal, message, rest = {}) => {
    const family = contract.errors[literal];
    if (!family) throw new TypeError(`${contract.name} does not declare the error ${literal}`);
    return new ToolRefusal(
      completeError(contract, { code: contract.ownCodes ? literal : family, family, native_code: literal, message, ...rest }),
    );
  };
}

// The entries of an invocation's event log. `wire/` turns them into the events that clients read.
import type { ErrorCode, FailureKind } from './errors.js';
import type { RestReason, WaitsInLine } from './rest.js';

export type InvocationEvent =
  | { readonly kind: 'progress'; readonly progress: number; readonly message: string }
  | {
      readonly kind: 'retry';
      readonly failure: FailureKind;
      /** Number of the retry within the rule of this kind of failure, from 1. */
      readonly retry: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly error: { readonly code: ErrorCode | (string & {}); readonly message: string };
    }
  /** `until`: when the rest ends by itself, in epoch milliseconds. `inputRequest`: what a person is asked. */
  | {
      readonly kind: 'resting';
      readonly reason: RestReason;
      readonly until: number;
      readonly inputRequest?: string | undefined;
      readonly flow?: WaitsInLine | undefined;
    }
  /** It waits for a worker again. */
  | { readonly kind: 'resumed'; readonly reason: RestReason }
  /** Output of the handler itself, in a format of its tool. Plain JSON. */
  | { readonly kind: 'output'; readonly data: unknown }
  /** The last entry. The outcome is stored with the invocation, not here. */
  | { readonly kind: 'end' };

/** An entry with its number in the log, from 1, and its time in epoch milliseconds. */
export type LoggedEvent = InvocationEvent & { readonly seq: number; readonly at: number };

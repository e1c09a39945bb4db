// The event log of an invocation: what followers see, in the words of the core. Wire forms are made in `wire/`.
import type { ErrorCode, FailureKind } from './errors.js';

export type InvocationEvent =
  | { readonly kind: 'progress'; readonly progress: number; readonly message: string }
  | {
      readonly kind: 'retry';
      readonly failure: FailureKind;
      /** Counted within this failure's own rule, from 1. */
      readonly retry: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly error: { readonly code: ErrorCode | (string & {}); readonly message: string };
    }
  /** What a handler itself tells those who follow it, in the words of its own tool. Plain JSON. */
  | { readonly kind: 'output'; readonly data: unknown }
  /** The last one. The outcome itself is stored with the invocation. */
  | { readonly kind: 'end' };

/** An event with its place in the log, counted from 1, and its time in epoch milliseconds. */
export type LoggedEvent = InvocationEvent & { readonly seq: number; readonly at: number };

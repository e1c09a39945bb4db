import type { Answer } from '../calls/answer.js';
import type { Call, Resting } from '../calls/call.js';
import type { RequestFacts } from '../calls/call-facts.js';

/** How a call stands that its door has started, and has waited for as long as its caller does. */
export type BegunCall =
  | { readonly kind: 'refused'; readonly answer: Answer }
  | { readonly kind: 'answered'; readonly call: Call; readonly answer: Answer }
  /** It goes on without its caller. */
  | { readonly kind: 'accepted'; readonly call: Call; readonly resting: Resting | null }
  /** Its caller went away. */
  | { readonly kind: 'left'; readonly call: Call }
  /** It could not be waited for. */
  | { readonly kind: 'failed'; readonly call: Call; readonly error: unknown };

const handed = new WeakMap<RequestFacts, Promise<BegunCall>>();

/** Leaves a call to the door of its request. */
export function handBegun(facts: RequestFacts, begun: Promise<BegunCall>): void {
  handed.set(facts, begun);
  // One that fails is told of by its door, some steps later.
  begun.catch(() => undefined);
}

/** The call of a request that was begun before its door was asked; the first who takes it has it. */
export function takeBegun(facts: RequestFacts): Promise<BegunCall> | null {
  const begun = handed.get(facts) ?? null;
  handed.delete(facts);
  return begun;
}

/** Follows a call no longer. The call itself goes on. */
export function letGo(begun: BegunCall): void {
  if ('call' in begun) begun.call[Symbol.dispose]();
}

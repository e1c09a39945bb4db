import { hash } from 'node:crypto';

/** @limit calls: steps of a call; the attempt fails */
export const mostSteps = 1_000;
/** @limit calls: bytes of what a step gives; the attempt fails */
export const mostStepBytes = 1_048_576;
/** @limit calls: bytes of what all steps of a call give; the attempt fails */
export const mostStepsBytes = 8 * 1_048_576;
/** Characters of a name. */
export const mostStepNameCharacters = 200;
/** The form of a name. */
export const stepNameShape = new RegExp(`^[^\\p{Cc}]{1,${mostStepNameCharacters}}$`, 'u');

/**
 * What is kept under the name of a step: what it gave; of a sleep, a hook or a question, when it is over, in epoch milliseconds. What a hook was called
 * with, what a question was answered with, or that nobody did it in time, is kept under a name of its own, see `answerOf`.
 */
export type KeptStep =
  | { readonly kind: 'step'; readonly data?: unknown }
  | { readonly kind: 'sleep'; readonly until: number }
  | { readonly kind: 'hook'; readonly until: number }
  /** `id`: of its input request. */
  | { readonly kind: 'question'; readonly id: string; readonly until: number }
  /** An account that the caller has to connect. `id`: of its input request. */
  | { readonly kind: 'connection'; readonly id: string; readonly until: number }
  | { readonly kind: 'answer'; readonly data?: unknown }
  | { readonly kind: 'timeout' };

const moreScopes = '\u0001scopes ';

/** The name under which a call waits for an account, for the first time (1) or again: no step of a handler can have it. */
export function connectionStep(time: number): string {
  return `\u0001connection ${time}`;
}

/** The same for rights that an outside server asks for beyond those that are known before a call: once for the same ones. */
export function moreScopesStep(scopes: readonly string[]): string {
  return `${moreScopes}${hash('sha256', [...new Set(scopes)].toSorted().join(' ')).slice(0, 32)}`;
}

export function isMoreScopesStep(name: string): boolean {
  return name.startsWith(moreScopes);
}

/** Whether a name is one of these two. */
export function isConnectionStep(name: string): boolean {
  return name.startsWith('\u0001');
}

/** The name under which the answer to a hook or a question is kept: no step can have it. */
export function answerOf(name: string): string {
  return `\0${name}`;
}

/** The reverse. Null for the name of a step. */
export function answeredIn(name: string): string | null {
  return name.startsWith('\0') ? name.slice(1) : null;
}

// What an attempt asks for and waits for, and where its steps are kept.
import type { z } from 'zod';
import type { KeptStep, Question, Rest } from '#lib/contracts';

/** What a call asks for when it rests. */
export type AskedRest = Pick<Rest, 'reason' | 'until' | 'inputRequest'>;

/** What a handler waits for, by the name of its step. */
export interface Wait extends AskedRest {
  readonly name: string;
  /** What its caller is asked. */
  readonly question?: Question;
}

/** A question with the id of its input request, and the time until when it can be answered. */
export interface AskedQuestion extends Question {
  readonly id: string;
  readonly until: number;
}

/** Where the steps of a call are kept. */
export interface StepRecords {
  /** What earlier attempts have kept, by name. */
  readonly earlier: () => Promise<ReadonlyMap<string, KeptStep>>;
  /** Keeps one, and gives what is kept under its name: the first holds. Null when the attempt is not the call's any more, and is being stopped. */
  readonly keep: (name: string, step: KeptStep) => Promise<KeptStep | null>;
  /** Puts a question to the caller; one that was put before stays as it was. Null where callers cannot be asked. */
  readonly ask: ((question: AskedQuestion) => Promise<void>) | null;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** Where the hooks of a call are called, and the key that signs their addresses. */
export interface HooksAt {
  /** Without a slash at its end. */
  readonly url: string;
  readonly key: string;
}

/** Something that somebody outside does while the call rests. */
export interface Hook {
  /** For one `POST`, whose JSON body is what `wait` gives. Whoever has it may call it. */
  readonly url: string;
  /**
   * Rests until it is called, and gives the body. One that was called before is over at once. Throws a Failure of the kind `timeout` when nobody calls it in
   * time: 24 hours by default, a year at most.
   */
  readonly wait: (options?: { readonly timeoutMs?: number }) => Promise<unknown>;
}

/** How the caller is asked. */
export interface Ask<Content extends z.ZodObject> {
  /** For people, 1 to 2,000 characters. */
  readonly message: string;
  /** Of the content of the answer: an object of texts, numbers, truth values and lists of choices. Default: no fields, so a yes or a no. */
  readonly schema?: Content;
  /** How long they have. Default: a day. At most a year. */
  readonly expiresMs?: number;
}

/** What they said. */
export type Asked<Content extends z.ZodObject> =
  | { readonly action: 'accept'; readonly content: z.output<Content> }
  | { readonly action: 'decline' | 'cancel' };

/** At least one. */
export type Waits = readonly [Wait, ...Wait[]];

/** Keeps nothing: of a handler that is run by itself. */
export const noRecords: StepRecords = {
  earlier: async () => new Map(),
  keep: async (_name, step) => step,
  ask: async () => undefined,
  now: Date.now,
};

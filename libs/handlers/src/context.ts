import {
  completeError,
  type QuestionAnswer,
  type Caller,
  type FileData,
  type RelayedAsk,
  type RelayedRequest,
  type ToolContract,
  type ToolError,
} from '#lib/contracts';
import type { z } from 'zod';
import type { AccountAccess } from './account-records.js';
import type { Ask, Asked, Hook, HooksAt, StepRecords, Waits } from './step-types.js';
import { ToolRefusal } from './tool-refusal.js';
import type { UpstreamAnswer } from './upstream-answers.js';

/** What every tool gets besides its input. */
export interface OwnToolContext {
  /** Who calls; `userId` is null for a key of the tenant itself. */
  readonly caller: Pick<Caller, 'tenantId' | 'userId' | 'tier'>;
  /** The working session that the caller named. */
  readonly sessionId: string | null;
  /** Fires on timeout, cancellation, deadline and shutdown. Pass it on to everything that waits. */
  readonly signal: AbortSignal;
  /** The same over all attempts of one invocation: what an effect is keyed by, so a second run finds the first one's. */
  readonly effectKey: string;
  /** From 1. */
  readonly attempt: number;
  /** The outward trace id of the call. */
  readonly traceId: string;
  /** Adds output events, in the tool's own form, which followers get in order. Resolves once they are stored. */
  readonly output: (data: readonly unknown[]) => Promise<void>;
  /** The output events of earlier attempts of this call, in order, so that an attempt can go on where the last one was cut off. */
  readonly earlierOutput: () => Promise<readonly unknown[]>;
  /**
   * Does something once for the call: what it gives is kept, and every later attempt gets it back at once. What it throws is not kept. Each step
   * of a handler has a name of its own, and gives JSON of at most 1 MB.
   */
  readonly step: <T>(name: string, work: () => Promise<T> | T) => Promise<T>;
  /**
   * Rests for so many ms, or until a date: the attempt ends, and afterwards the handler runs again from its top. Finished steps and sleeps are over at
   * once then. What is not awaited through them is done again, and `finally` is not reached: give `signal` to what must be closed.
   */
  readonly sleep: (name: string, time: number | Date) => Promise<void>;
  /**
   * Asks the caller, and rests until the answer is there: `{ action: 'accept', content }`, with the content that the schema asks for, or `decline` or
   * `cancel`. Throws a Failure of the kind `timeout` when nobody answers in time.
   */
  readonly ask: <Content extends z.ZodObject = z.ZodObject<Record<never, never>>>(
    name: string,
    question: Ask<Content>,
  ) => Promise<Asked<Content>>;
  /**
   * An address for somebody outside: `hook.url` takes one `POST`, and `await hook.wait({ timeoutMs })` rests until then and gives its body. Send the
   * address within a step.
   */
  readonly hook: (name: string) => Hook;
  /**
   * A short-lived access token of the caller's account at the provider that the contract names (`connection`): for the API of the provider, and for
   * nothing else. Rests until the account is connected, where it is not. Ask for one before each request: it is renewed as need be.
   * @param options `refused`: a token that the API has just answered 401 to; another one is given, once. `scopes`: rights that this request needs
   * besides those of the contract. Where the account lacks them the call rests until its user has granted them, as far as the provider lets tools ask
   */
  readonly token: (options?: { readonly refused?: string | undefined; readonly scopes?: readonly string[] | undefined }) => Promise<string>;
  /** Reports progress to followers. @param percent 0–100; a value below the last one counts as the last one */
  readonly progress: (percent: number, message: string) => void;
  /** Writes a line into the log, with the ids of the call, and into the trace of the call. It must hold no secrets and no personal data. */
  readonly log: (level: LogLevel, message: string) => void;
  /** Sets the `message` of the answer: a sentence for people beside the data. */
  readonly setMessage: (message: string) => void;
  /**
   * Adds to what the call costs, in millionths of a US dollar: what an upstream charged. It was spent, whatever becomes of the attempt, so it counts
   * over all of them. Throws RangeError for what is no whole number from 0 to 1,000,000,000. After the end of the attempt it counts no more.
   */
  readonly cost: (micros: number) => void;
  /** Adds to the `warnings` of the answer. */
  readonly warn: (warning: string) => void;
  /** Adds to `debug_info`: how the answer came about. Shown with `debug`, outside production only. */
  readonly addDebugInfo: (facts: Readonly<Record<string, unknown>>) => void;
  /** Adds facts to the call's log record and span. They must hold no secrets and no personal data. */
  readonly recordFacts: (facts: Facts) => void;
  /**
   * Sets the version of the answer, for its `ETag`. Throws Unchanged when the caller has that version already, which ends the
   * attempt: nothing more need be read.
   */
  readonly version: (tag: string) => void;
  /** Runs work that waits for an upstream or a store, and counts its time as network time. */
  readonly network: <T>(work: () => Promise<T>) => Promise<T>;
}

/** A file that a tool gives in its answer. */
export interface OutgoingFile {
  readonly name: string;
  /** A media type. */
  readonly type: string;
  readonly content: AsyncIterable<Uint8Array>;
}

/** What the product's own handlers get, too. */
export interface ToolContext extends OwnToolContext {
  readonly caller: Caller;
  /** Counts network time that somebody else has measured, in ms, as `network` counts its own. No more than the attempt takes. */
  readonly countNetwork: (ms: number) => void;
  /** What the attempt has cost so far, as somebody else counts it, in millionths of a US dollar. Less than before changes nothing. */
  readonly countCost: (micros: number) => void;
  /** Names the model that it asks: sums of costs have it. The last one counts. */
  readonly asksModel: (name: string) => void;
  /**
   * Records what an upstream's API answered, for `debug_info.internal_api_response`. Kept only for callers with `debug`,
   * masked by general rules and bounded. Remove what the API's own rules call secret before.
   */
  readonly recordUpstreamAnswer: (answer: UpstreamAnswer) => void;
  /** Where `step` and `sleep` keep what is over, for a handler that runs elsewhere. */
  readonly stepRecords: StepRecords;
  /** Where hooks are called, for a handler that runs elsewhere. */
  readonly hooksAt: () => HooksAt | null;
  /** The same with the header that it is sent in. */
  readonly account: (options?: { readonly refused?: string | undefined; readonly more?: readonly string[] }) => Promise<AccountAccess>;
  /** Sends a file of the answer, and gives what the answer says of it: of a handler that runs elsewhere. */
  readonly sendFile: (file: OutgoingFile) => Promise<FileData>;
  /** Ends the attempt: the call rests until the first of these. Never resolves. */
  readonly rest: (...waits: Waits) => Promise<never>;
  /**
   * Asks the client of the call what an outside server asks in the words of MCP, as `ask` asks a person: `content` is the result that the protocol
   * has for it. People see the message alone.
   */
  readonly relay: (name: string, message: string, request: RelayedRequest) => Promise<QuestionAnswer>;
  /** What that client can be asked besides forms; absent where people answer in its place. */
  readonly clientAnswers: readonly RelayedAsk[] | undefined;
  /** Whether its model can be given tools; absent where people answer in its place. */
  readonly clientModelTools: boolean | undefined;
  /** Makes the error of a literal that the contract declares; handlers use `error`, which is typed by it. */
  readonly refusal: MakeRefusal;
}

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export type Facts = Readonly<Record<string, string | number | boolean>>;

/** The fact that says how many bytes of files a handler has written: they count as bytes of its tenant, as long as the record of the call. */
export const fileBytesFact = 'file_bytes';

/** Thrown by `version` when the caller has this version of the answer. */
export class Unchanged extends Error {
  override readonly name = 'Unchanged';
}

export type MakeRefusal = (literal: string, message: string, rest?: Partial<Pick<ToolError, 'details' | 'extra'>>) => ToolRefusal;

/** `throw error('USER_NOT_FOUND', '…')`: only literals of the contract compile. */
export interface RefuseWith<Literal extends string> {
  /** Makes the error of a literal of the contract: `throw error('SOLD_OUT', '…')` ends the call with it, and nothing is tried again. */
  readonly error: (literal: Literal, message: string, rest?: Partial<Pick<ToolError, 'details' | 'extra'>>) => ToolRefusal;
}

/** Makes refusals for one contract. They throw TypeError for a literal that the contract does not declare. */
export function refusalFor(contract: ToolContract): MakeRefusal {
  return (literal, message, rest = {}) => {
    // A worker of a tenant sends the literal: it may be the name of something that every object has.
    const family = Object.hasOwn(contract.errors, literal) ? contract.errors[literal] : undefined;
    if (!family) throw new TypeError(`${contract.name} does not declare the error ${literal}`);
    return new ToolRefusal(
      completeError(contract, { code: contract.ownCodes ? literal : family, family, native_code: literal, message, ...rest }),
    );
  };
}

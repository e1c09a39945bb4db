import type { z } from 'zod';
import type { DomainName } from './domains.js';
import type { ErrorCode, FailureKind, ParameterFault } from './errors.js';
import type { Scope } from './scopes.js';

/** Retries after the first attempt for one kind of failure. Delay n (from 1) is `min(maxMs, baseMs · factor^(n−1)) ± jitter`. */
export interface RetryRule {
  readonly times: number;
  readonly baseMs: number;
  /** Default 2. */
  readonly factor?: number;
  /** Share of the delay that is random, 0–1. Default 0.25. */
  readonly jitter?: number;
  /** Default 60,000. */
  readonly maxMs?: number;
}

/** Kinds that a rule may retry. A fault of our own is never tried again: it would fail again. */
export type RetryableKind = Exclude<FailureKind, 'internal'>;

export interface CacheRule {
  readonly ttlSeconds: number;
  /** Who may share an entry. `user` keeps each caller's entries apart. Default `user`. */
  readonly scope?: 'public' | 'tenant' | 'user';
  /** Parameters that make the key; all of them when absent (TU-82). */
  readonly keyParams?: readonly string[];
}

/** Expected tokens of a call (TU-09, TU-78): a number is the typical size of the answer. */
export type EstimatedTokens =
  | number
  | { readonly input?: number; readonly output: { readonly min?: number; readonly max?: number; readonly typical: number } };

/** Where to turn when a tool cannot help (C-44). */
export type Fallback = 'docs_only' | 'start_onboarding' | 'express_dashboard' | 'relink' | 'refuse' | 'retry_later';

export interface Advice {
  /** A sentence for people. */
  readonly suggestion: string;
  readonly fallback: readonly Fallback[];
}

type SemanticVersion = `${number}.${number}.${number}`;
type JsonObjectSchema = z.ZodObject<z.ZodRawShape, z.core.$strict>;
/** A tool of ours takes a strict object; one of an outside server takes what that server's JSON Schema says. */
type InputSchema = z.ZodType<Record<string, unknown>>;

/** Everything about a tool, once. Types, schemas, retry rules, redaction, cache keys and documents are derived from it. */
export interface ToolContract<
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Literal extends string = string,
  Name extends string = string,
> {
  /** Called by a door of its own and by nothing else: it is in no list, and by its name it is not found. */
  readonly internal?: boolean;
  /** snake_case, `^[a-z][a-z0-9_]{0,63}$` (TU-03, TU-12). */
  readonly name: Name;
  /** Other spellings of the source documents; matched without regard to case (C-19). */
  readonly aliases?: readonly string[];
  readonly version: SemanticVersion;
  readonly changelog?: Readonly<Record<string, string>>;
  /** Served to those alone who ask for it by `name@range`; the bare name stands for the newest version that is no preview. */
  readonly preview?: boolean;
  readonly title: string;
  /** One sentence on the purpose, then limits (TU-13). */
  readonly description: string;
  readonly domain: DomainName;
  /** The native route family that also answers this tool, in the shape of its source document. */
  readonly source?: 'aurawell' | 'stripe' | 'memotree';
  /** Parameter names may also come in PascalCase and snake_case (C-65). */
  readonly anyCase?: boolean;
  /** Strict: unknown parameters are refused (TU-17). */
  readonly input: Input;
  /** A JSON object. An answer that breaks it is EXECUTION_ERROR, never a success (PL-03). */
  readonly output: Output;
  /** The part of `output` that the native route answers with, where the source document names fewer fields. Strips the rest. */
  readonly nativeOutput?: z.ZodType;
  /** What the handler may refuse with, and the public code of each literal. */
  readonly errors: Readonly<Record<Literal, ErrorCode>>;
  /** True for tools whose own literals are the public codes (`CITY_NOT_FOUND`); otherwise they are `native_code`. */
  readonly ownCodes?: boolean;
  /** The source document's literal for errors found before the handler runs. */
  readonly nativeCodes?: Readonly<Partial<Record<ErrorCode, string | ((faults: readonly ParameterFault[]) => string)>>>;
  /** The source document's literal for each kind of failure; the public code follows from the kind. */
  readonly failures?: Readonly<Partial<Record<FailureKind, string>>>;
  /** What to do instead, by literal; stands as `suggestion` and `fallback` beside the error. */
  readonly advice?: Readonly<Partial<Record<string, Advice>>>;
  /** What a caller is told to wait after a failure of the other side that named no time itself, in ms. */
  readonly retryHintMs?: number;
  /** All are needed; `tools:read` or `tools:write` is added from `effect`. */
  readonly scopes?: readonly Scope[];
  /** The parameter that names whose data is asked for. Others than that user need `anyScope`. Checked before existence (AW-16). */
  readonly subject?: { readonly param: Extract<keyof z.output<Input>, string>; readonly anyScope: Scope };
  /** `read` changes nothing and may be called by GET; `write` changes something and carries one effect key over all attempts. */
  readonly effect: 'read' | 'write';
  /** False where a second call has an effect of its own: never cached, coalesced only by `singleFlight` (C-33). Default true. */
  readonly idempotent?: boolean;
  /** Per attempt, measured in the worker (C-12). */
  readonly timeoutMs: number;
  /** The environment variable by which an installation moves the limit, and how far, in ms. */
  readonly timeoutSetting?: { readonly name: string; readonly min: number; readonly max: number };
  readonly retry?: Readonly<Partial<Record<RetryableKind, RetryRule>>>;
  readonly cache?: CacheRule;
  /** Equal calls of one caller share one run while it lasts and for `windowMs` after it. `keyParams` as in `cache`. */
  readonly singleFlight?: { readonly windowMs: number; readonly keyParams?: readonly string[] };
  /** Calls of different working sessions (`X-Session-Id`) are different calls, and no session reads another's. */
  readonly perSession?: boolean;
  /** Answers have a version (`ETag`); a caller that names it in `If-None-Match` is told 304 where it still holds. */
  readonly revalidates?: boolean;
  /** How long secret output can be had after the end; with `once`, by each call that asked for it one single time. Default: as long as the record. */
  readonly secretLife?: { readonly ms: number; readonly once: boolean };
  /** Long work that streams where the client accepts a stream (TU-46). */
  readonly streaming?: boolean;
  /** Its data holds `fileOutput`; on HTTP the bytes of a small file come with it (C-27). */
  readonly returnsFile?: boolean;
  /** Waiting calls of a lower number are taken up first, 0–10: so many rounds later, where calls wait in rounds. Default 0. */
  readonly priority?: number;
  /** Body limit of a call in bytes. Default 262,144. */
  readonly maxInputBytes?: number;
  readonly estimatedTokens: EstimatedTokens;
  /** Refused with TOOL_DEPRECATED (TU-73). */
  readonly deprecated?: boolean;
  /** ISO 8601 date; from then on the tool is deprecated (C-31). */
  readonly sunsetDate?: string;
  readonly replacement?: string;
  /** Address, absolute or at the gateway. */
  readonly migrationGuide?: string;
  /** Called through a route of its own: no list shows it. */
  readonly unlisted?: boolean;
  /**
   * Set for a tool of an outside server: which server, what the tool is called there, and which approval of it this is. With
   * `cutsText` the parameters `max_length` and `return_summary` are ours, not its server's.
   */
  readonly upstream?: { readonly server: string; readonly tool: string; readonly approval: number; readonly cutsText: boolean };
  /** Why it is refused with CONFLICT until somebody has looked at it; no list shows it. */
  readonly suspended?: string;
  /** Parse against the schemas in the contract suite and show up in documents. */
  readonly examples: readonly [ToolExample<Input, Output>, ...ToolExample<Input, Output>[]];
}

interface ToolExample<Input extends z.ZodType, Output extends z.ZodType> {
  readonly input: z.input<Input>;
  readonly output: z.input<Output>;
}

/** Declares a tool. The value is the declaration; the function only lends it its types. */
export function defineTool<
  Input extends JsonObjectSchema,
  Output extends z.ZodType,
  const Literal extends string,
  const Name extends string,
>(contract: ToolContract<Input, Output, Literal, Name>): ToolContract<Input, Output, Literal, Name> {
  return contract;
}

export type ToolInput<Contract extends ToolContract> = z.output<Contract['input']>;
export type ToolOutput<Contract extends ToolContract> = z.input<Contract['output']>;
export type ToolLiteral<Contract> = Contract extends { readonly errors: Readonly<Record<infer Literal extends string, ErrorCode>> }
  ? Literal
  : never;

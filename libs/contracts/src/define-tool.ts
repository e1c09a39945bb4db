import type { ConnectionNeed } from './console/accounts.js';
import type { ContractFlow } from './console/flows.js';
import type { z } from 'zod';
import type { ApprovalRule } from './approval.js';
import type { DomainName, ServedDomainName } from './domains.js';
import type { ErrorCode, FailureKind, ParameterFault } from './errors.js';
import type { AppRules, ToolApp } from './outside/apps.js';
import type { RelayedAsk } from './outside/relayed.js';
import type { OutsideKind } from './outside/server.js';
import type { Scope } from './scopes.js';

/**
 * How often one kind of failure is retried, and after which delays. The delay before retry n (from 1) is
 * `min(maxMs, baseMs · factor^(n−1)) ± jitter`.
 */
export interface RetryRule {
  /** Retries after the first attempt. 0 means never. */
  readonly times: number;
  /** Delay before the first retry, in ms. */
  readonly baseMs: number;
  /** True when the setting RETRY_BASE_MS takes the place of `baseMs`. */
  readonly baseIsSetting?: boolean;
  /** How much longer each delay is than the one before. Default 2. */
  readonly factor?: number;
  /** Share of the delay that is random, 0–1. Default 0.25. */
  readonly jitter?: number;
  /** Longest delay before jitter, in ms. Default 60,000. */
  readonly maxMs?: number;
}

/** Kinds of failure that a rule may retry. An internal fault is never retried, because it would fail again. */
export type RetryableKind = Exclude<FailureKind, 'internal'>;

export interface CacheRule {
  /** How long a result is kept. */
  readonly ttlSeconds: number;
  /** Who may share an entry. `user` keeps each caller's entries apart. Default `user`. */
  readonly scope?: 'public' | 'tenant' | 'user';
  /** Names of the parameters that are part of the cache key. Default: all parameters. */
  readonly keyParams?: readonly string[];
}

/** Expected tokens of a call: a number is the typical size of the answer. */
export type EstimatedTokens =
  | number
  | { readonly input?: number; readonly output: { readonly min?: number; readonly max?: number; readonly typical: number } };

/** What a caller can do instead when a tool cannot help. */
export type Fallback = 'docs_only' | 'start_onboarding' | 'express_dashboard' | 'relink' | 'refuse' | 'retry_later';

export interface Advice {
  /** A sentence for people. */
  readonly suggestion: string;
  readonly fallback: readonly Fallback[];
}

export type SemanticVersion = `${number}.${number}.${number}`;
export type JsonObjectSchema = z.ZodObject<z.ZodRawShape, z.core.$strict>;
/** Our own tools take strict objects. A tool of an outside server takes whatever its JSON Schema describes. */
export type InputSchema = z.ZodType<Record<string, unknown>>;

/** What every tool says of itself: those of the product, and those that a tenant's own worker serves. */
export interface ToolFields<
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Literal extends string = string,
  Name extends string = string,
> {
  /** snake_case, `^[a-z][a-z0-9_]{0,63}$`. */
  readonly name: Name;
  /** A change that breaks callers needs a new first number. Versions can be served beside each other. */
  readonly version: SemanticVersion;
  /** What each version changed. */
  readonly changelog?: Readonly<Record<string, string>>;
  /** A preview is served only for `name@range`. The name without a range means the newest version that is no preview. */
  readonly preview?: boolean;
  /** Its name for people. */
  readonly title: string;
  /** First one sentence on the purpose, then the limits. Models choose tools by this text. */
  readonly description: string;
  /** A strict object: unknown parameters are refused. */
  readonly input: Input;
  /** Must describe a JSON object. An answer that does not fit is EXECUTION_ERROR, never a success. */
  readonly output: Output;
  /** The error literals that the handler may refuse with, each with its public error code. */
  readonly errors: Readonly<Record<Literal, ErrorCode>>;
  /** `read` changes nothing and may be called by GET. `write` changes something; all its attempts share one effect key. */
  readonly effect: 'read' | 'write';
  /** False for a write that adds something and changes or deletes nothing. MCP clients are told. Default: true for every write. */
  readonly destructive?: boolean;
  /** False when a second call has a second effect. Such calls are never cached, and shared only through `singleFlight`. Default true. */
  readonly idempotent?: boolean;
  /** Time limit of one attempt in ms, measured in the worker. */
  readonly timeoutMs: number;
  /** Kinds without a rule are not retried. */
  readonly retry?: Readonly<Partial<Record<RetryableKind, RetryRule>>>;
  /** Equal calls of one caller share one execution, while it lasts and for `windowMs` after its end. `keyParams` as in `cache`. */
  readonly singleFlight?: { readonly windowMs: number; readonly keyParams?: readonly string[] };
  /** Calls with different `X-Session-Id` are never shared, and one session cannot read the results of another. */
  readonly perSession?: boolean;
  /** Answers have an `ETag`. A caller that sends it as `If-None-Match` gets 304 while it is current. */
  readonly revalidates?: boolean;
  /**
   * How long secret output can be read after the end, in ms. With `once`, each call that shares the execution can read it one time.
   * Default: as long as the record exists.
   */
  readonly secretLife?: { readonly ms: number; readonly once: boolean };
  /**
   * Which calls rest until a person approves them (`POST /input-requests/{id}`): all of them, or those that the rule says. Such a call is
   * neither answered from the cache nor shared.
   */
  readonly approval?: true | ApprovalRule;
  /**
   * The account of its caller that it acts with, at a provider of the tenant: `context.token()` gives a token of it, with at least these scopes. A
   * call whose caller has none rests until it is connected. Its answers are not cached.
   */
  readonly connection?: ConnectionNeed;
  /**
   * What a call that runs costs, in millionths of a US dollar: 0 to 1,000,000,000. It is told in the answer, summed in the history and counted
   * by budgets; attempts cost nothing more. Absent: nothing.
   */
  readonly cost?: { readonly micros: number };
  /**
   * How many of its calls run at a time, or begin in a time, in each tenant. `key` is an expression of CEL over `args`, `caller`, `tool` and `now`: calls
   * with the same value wait for each other. Default: all calls do. Bounds as those of `PUT /flows/{name}`.
   */
  readonly flow?: ContractFlow;
  /** Long-running: answered as an event stream when the client accepts one. */
  readonly streaming?: boolean;
  /** 0 (first) to 10. Under load a call is queued this many rounds later. Default 0. */
  readonly priority?: number;
  /** Maximum size of a call's body in bytes. Default 262,144. */
  readonly maxInputBytes?: number;
  /** Tokens of a typical answer, for whoever plans the context of a model. Nothing is refused by it. */
  readonly estimatedTokens: EstimatedTokens;
  /** Every call is refused with TOOL_DEPRECATED. */
  readonly deprecated?: boolean;
  /** ISO 8601 date. From its first instant (UTC) the tool is deprecated; before, answers carry a warning. */
  readonly sunsetDate?: string;
  /** Name of the tool to use instead. */
  readonly replacement?: string;
  /** URL, or a path of the gateway. */
  readonly migrationGuide?: string;
  /** Shown in the documentation, and checked with the schemas. */
  readonly examples: readonly ToolExample<Input, Output>[];
}

/**
 * The complete description of a tool. Types, JSON Schemas, retry rules, redaction, cache keys and documentation are all derived from
 * this one value, so nothing about a tool is written twice. What it has beyond `ToolFields` is for the product's own tools.
 */
export interface ToolContract<
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Literal extends string = string,
  Name extends string = string,
> extends ToolFields<Input, Output, Literal, Name> {
  /** Its words for people who read Chinese. Models choose tools by `description`. */
  readonly zh?: { readonly title: string; readonly description: string };
  /** Called only by the product's own code (`chat_turn`). It is not listed and cannot be called by name. */
  readonly internal?: boolean;
  /** Other names from the source documents, matched in any case. */
  readonly aliases?: readonly string[];
  readonly domain: DomainName | ServedDomainName;
  /** The source document whose native route (`POST /<source>/<tool>`) also serves this tool, in the document's own answer format. */
  readonly source?: 'aurawell' | 'stripe' | 'memotree';
  /** Parameter names are also accepted in PascalCase and snake_case. */
  readonly anyCase?: boolean;
  /** The fields of `output` that the native route answers with, where the source document has fewer. Other fields are dropped. */
  readonly nativeOutput?: z.ZodType;
  /** True: the literals themselves are the public codes (`CITY_NOT_FOUND`). Otherwise they are answered as `native_code`. */
  readonly ownCodes?: boolean;
  /** The source document's literals for errors that are found before the handler runs, by public code. */
  readonly nativeCodes?: Readonly<Partial<Record<ErrorCode, string | ((faults: readonly ParameterFault[]) => string)>>>;
  /** The source document's literals for failures, by kind. The public code of a failure follows from its kind. */
  readonly failures?: Readonly<Partial<Record<FailureKind, string>>>;
  /** What to do instead, by literal. It is answered as `suggestion` and `fallback` beside the error. */
  readonly advice?: Readonly<Partial<Record<string, Advice>>>;
  /** `retry_after_ms` of a failure for which the upstream named no time, in ms. */
  readonly retryHintMs?: number;
  /** Scopes that a caller needs, all of them, besides `tools:read` or `tools:write`, which follows from `effect`. */
  readonly scopes?: readonly Scope[];
  /**
   * The parameter that names the user whose data is asked for. Any other caller needs `anyScope`. This is checked before it is known
   * whether that user exists, so the answer does not reveal it.
   */
  readonly subject?: { readonly param: Extract<keyof z.output<Input>, string>; readonly anyScope: Scope };
  /** The environment variable that changes `timeoutMs`, with the range that it may have, in ms. */
  readonly timeoutSetting?: { readonly name: string; readonly min: number; readonly max: number };
  /** Absent: results are never cached. */
  readonly cache?: CacheRule;
  /** The setting of the gateway that turns it on. It is off by default: then it is not listed, and no call of it is accepted. */
  readonly setting?: 'CODE_MODE';
  /** Not shown in lists, because it has a route of its own. */
  readonly unlisted?: boolean;
  /**
   * Set for a tool of an outside server: what that speaks, whose it is (null for all tenants), its name, the tool's name there, and the number of
   * the approval. With `cutsText` the gateway added the parameters `max_length` and `return_summary`, and the worker cuts long texts of the
   * answer. `mayAsk`: what the server may ask of callers besides forms. `app`: the page that clients show beside
   * the answer; `apps`: what pages of the server may do. No other tenant knows of it.
   */
  readonly upstream?: {
    readonly kind: OutsideKind;
    readonly tenant: string | null;
    readonly server: string;
    readonly tool: string;
    readonly approval: number;
    readonly cutsText: boolean;
    readonly mayAsk?: readonly RelayedAsk[];
    readonly app?: ToolApp;
    readonly apps?: AppRules;
  };
  /** Set for a tool that a tenant's own workers serve: whose it is, and the tenant's name of its domain. No other tenant knows of it. */
  readonly served?: { readonly tenant: string; readonly domain: string };
  /** True while no worker serves it: it is not listed, and a call is refused with NETWORK_ERROR at once. */
  readonly away?: boolean;
  /** Why every call is refused with CONFLICT until an administrator approves the tool again. Not shown in lists. */
  readonly suspended?: string;
  /** Set where a named set offers a tool under another name: the tool itself, which is what is called, recorded and judged by rules. */
  readonly renames?: ToolContract;
}

export interface ToolExample<Input extends z.ZodType, Output extends z.ZodType> {
  /** Parameters that a caller may send. */
  readonly input: z.input<Input>;
  /** What is answered to them. */
  readonly output: z.input<Output>;
}

/** With at least one example: those of the product are in its documentation. */
export interface DefinedTool<
  Input extends InputSchema = InputSchema,
  Output extends z.ZodType = z.ZodType,
  Literal extends string = string,
  Name extends string = string,
> extends ToolContract<Input, Output, Literal, Name> {
  readonly examples: readonly [ToolExample<Input, Output>, ...ToolExample<Input, Output>[]];
}

/** Declares a tool. Returns its argument unchanged; the function exists for type inference. */
export function defineTool<
  Input extends JsonObjectSchema,
  Output extends z.ZodType,
  const Literal extends string,
  const Name extends string,
>(contract: DefinedTool<Input, Output, Literal, Name>): DefinedTool<Input, Output, Literal, Name> {
  return contract;
}

export type ToolInput<Contract extends ToolFields> = z.output<Contract['input']>;
export type ToolOutput<Contract extends ToolFields> = z.input<Contract['output']>;
export type ToolLiteral<Contract> = Contract extends { readonly errors: Readonly<Record<infer Literal extends string, ErrorCode>> }
  ? Literal
  : never;

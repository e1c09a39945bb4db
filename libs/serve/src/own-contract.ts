import type { z } from 'zod';
import type { CacheRule, JsonObjectSchema, RetryableKind, RetryRule, ServedDomainName, ToolExample, ToolFields } from '#lib/contracts';
import type { OwnToolContext, ToolContext } from '#lib/handlers';

/** What a tool says of itself. Callers and models know nothing else of it. */
export interface OwnContract<
  Input extends z.ZodType<Record<string, unknown>> = z.ZodType<Record<string, unknown>>,
  Output extends z.ZodType = z.ZodType,
  Literal extends string = string,
  Name extends string = string,
> extends ToolFields<Input, Output, Literal, Name> {
  /**
   * Tools of one domain share a queue: `sales`, at most 19 of a-z, 0-9 and -. `own-sales` is the same: by `own-` the gateway keeps the
   * domains of tenants from its own, and it may stand in a contract, but is never needed.
   */
  readonly domain: string;
  /** Kinds without a rule are not retried. */
  readonly retry?: Readonly<Partial<Record<RetryableKind, OwnRetryRule>>>;
  /** Results are kept for so long, for the `user` who called (default) or for the whole `tenant`. Absent: never. */
  readonly cache?: OwnCacheRule;
}

/** Settings of the installation do not change the delays of a tenant's tools. */
export interface OwnRetryRule extends Omit<RetryRule, 'baseIsSetting'> {}

export interface OwnCacheRule extends Omit<CacheRule, 'scope'> {
  /** Who may share a result. `user` keeps those of each user apart. Default `user`. */
  readonly scope?: 'tenant' | 'user';
}

/** A tool that can be served: its contract, and what it does. */
export interface Tool {
  readonly contract: ToolFields & { readonly domain: ServedDomainName; readonly cache?: CacheRule };
  readonly run: (input: unknown, context: OwnToolContext & Pick<ToolContext, 'refusal' | 'sendFile'>) => Promise<unknown>;
}

/** Declares a tool with all that it says of itself. `tool` has defaults for most. Returns its argument: the function is for the types. */
export function defineTool<
  Input extends JsonObjectSchema,
  Output extends z.ZodType,
  const Literal extends string,
  const Name extends string,
>(
  contract: OwnContract<Input, Output, Literal, Name> & { readonly examples: readonly [ToolExample<Input, Output>, ...unknown[]] },
): OwnContract<Input, Output, Literal, Name> {
  return contract;
}

/** The name by which the gateway keeps a domain of a tenant from its own. */
export function servedName(domain: string): ServedDomainName {
  return domain.startsWith('own-') ? `own-${domain.slice(4)}` : `own-${domain}`;
}

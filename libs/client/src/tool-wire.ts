// Definitions of tools, and those that workers serve, by the wire contract. A later gateway may add fields.
import type { ToolDefinition } from '#lib/contracts';

/** The definitions of all tools, and the `ETag` of the list. */
export interface ToolList {
  readonly tools: readonly ToolDefinition[];
  readonly etag: string | null;
}

/** Which tools are listed. */
export interface ToolsFilter {
  /** Only those of this domain. */
  readonly domain?: string | undefined;
  /** Only those of a named set, under its names. */
  readonly set?: string | undefined;
  /** What a tool is wanted for, in words: only those that fit and that the caller may call, the best first. */
  readonly query?: string | undefined;
  /** With `query`: at most so many. Default 10. */
  readonly limit?: number | undefined;
}

/** A version of a tool that a worker of a tenant has announced. */
export interface ServedToolRow {
  readonly tenant_id: string;
  readonly domain: string;
  readonly name: string;
  readonly version: string;
  /** `served`: a worker is connected. */
  readonly state: 'pending' | 'approved' | 'served';
  readonly announced_by: string;
  readonly announced_at: string;
  readonly approved_by: string | null;
  readonly approved_at: string | null;
  /** Of the contract. */
  readonly fingerprint: string;
  readonly contract: Readonly<Record<string, unknown>>;
}

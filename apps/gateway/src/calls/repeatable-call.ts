import type { Caller, ToolContract } from '#lib/contracts';
import type { CallRecord } from '#lib/transport';

/** What the record of a call says of its question. */
export type AskedCall = Pick<CallRecord, 'tool_name' | 'tenant_id' | 'user_id' | 'caller_id' | 'params'>;

/** A call that the cache has answered, as the pipeline has understood it: the same words of the same caller mean the same again. */
export interface RepeatableCall {
  readonly caller: Caller;
  readonly contract: ToolContract;
  /** Under which the cache has its answer. */
  readonly key: string;
  /** `Catalog.tools` as its caller saw it. Where they are others, the words may mean something else. */
  readonly seen: readonly ToolContract[];
  readonly asked: AskedCall;
}

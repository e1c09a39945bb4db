import type { Caller, ToolContract } from '#lib/contracts';
import type { LoggedCall } from '#lib/transport';
import type { Answer } from './answer.js';
import type { MeasuredRequest } from './measured-request.js';

/** What the record of a call says of its question. */
export type LoggedQuestion = Pick<LoggedCall, 'tool_name' | 'tenant_id' | 'user_id' | 'caller_id' | 'params'>;

/** A call that the cache has answered, as the pipeline has understood it: the same words of the same caller mean the same again. */
export interface RepeatableCall {
  readonly caller: Caller;
  readonly contract: ToolContract;
  /** Under which the cache has its answer. */
  readonly key: string;
  /** `Catalog.tools` as its caller saw it. Where they are others, the words may mean something else. */
  readonly seen: readonly ToolContract[];
  readonly asked: LoggedQuestion;
  /** How its door writes its answer; null for the envelope as JSON. */
  readonly form: RepeatedForm | null;
}

/** What a door makes of an answer of the cache that is no envelope as JSON. */
export interface RepeatedForm {
  /** Null where the door would have to look closer at this answer. */
  readonly write: (
    answer: Answer,
    request: { readonly facts: { readonly traceId: string }; readonly id: MessageId | null },
  ) => Written | null;
  /** Of its answers, besides those of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What the span of its requests says besides. */
  readonly attributes?: Readonly<Record<string, string>>;
  /** How it is measured, as often as it comes. */
  readonly measured?: MeasuredRequest | null | undefined;
  /** The id in the message of its call, where it came in one: with another id the message is the same call. */
  readonly id?: MessageId;
}

interface Written {
  readonly text: string;
  /** Called when it is sure that it is sent. */
  readonly onSent?: () => void;
}

export type MessageId = string | number;

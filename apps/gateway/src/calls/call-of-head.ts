import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { RequestFacts } from './call-facts.js';
import type { RepeatableCall } from './repeatable-call.js';

/** What the head of a request says of its call, for the door that it came to. What else there is to say is in its body. */
export interface CallOfHead {
  /** Whether its bodies are messages with ids of their own. */
  readonly hasIds: boolean;
  /** Of its answers, besides those of every answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Null for a body that is refused, or asks for more than one call. Nothing is begun yet. */
  callIn(body: unknown, headers: IncomingHttpHeaders): CallOfBody | null;
}

/** A request that was let in before any hook looked at it. */
export interface KnownRequest {
  readonly facts: RequestFacts;
  readonly headers: IncomingHttpHeaders;
}

export interface CallOfBody {
  /** @param watch is called once the call has to wait: the signal fires when its caller is gone */
  begin(request: KnownRequest, watch: () => AbortSignal): BegunCall;
}

/** A call that was begun before its door was asked. */
export interface BegunCall {
  /** Null where its door has more to say than that. It rejects with what the door would throw. */
  readonly answer: Promise<PlainAnswer | StreamedAnswer | null>;
  /** Leaves it to its door. @param reason thrown there in place of an answer */
  leave(reason?: unknown): void;
  /** Follows it no longer, unless its door does. The call itself goes on. */
  letGo(): void;
}

/** An answer 200, whose headers are those of its head. */
export interface PlainAnswer {
  readonly text: string;
  /** The call, where the cache has answered it. */
  readonly repeatable: RepeatableCall | null;
}

/** An answer 200 with the headers of its head, which is written as it comes. */
export interface StreamedAnswer {
  /** @param response whose head is written; it is ended here */
  stream(response: ServerResponse): Promise<void>;
}

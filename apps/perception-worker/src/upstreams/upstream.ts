import type {
  QuestionAnswer,
  OpenApiSource,
  OutsideKind,
  OutsideOffers,
  OutsideQuestion,
  OutsideRefusal,
  OutsideTool,
  RelayedAsk,
  RelayedRequest,
} from '#lib/contracts';
import type { ToolContext } from '#lib/handlers';
import type { UsedAccount } from './server-account.js';
import type { ServerLogLine } from './server-log.js';

/** The tools that an outside server offers now. Definitions that cannot be read are named. */
export interface ToolListing {
  readonly tools: readonly OutsideTool[];
  readonly malformed: readonly { readonly tool: string; readonly reason: string }[];
  /** What they were made of, where that is an OpenAPI document. */
  readonly source?: OpenApiSource;
  /** What else an administrator is to know. */
  readonly warnings?: readonly string[];
}

/** What a server asks, as it came: nothing of the form is known to be right. */
export interface ServerQuestion {
  readonly message: string;
  /** A JSON Schema. */
  readonly form: object;
}

/** An address that a server asks a person to open, as it came. */
export interface AddressQuestion {
  readonly message: string;
  readonly url: string;
  /** By which its server tells later that it is done there. */
  readonly elicitationId?: string | undefined;
}

/** A call of a tool as it was approved. */
export interface ApprovedCall extends UpstreamCall {
  /** A JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export interface UpstreamCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The principal whose call it is. */
  readonly caller: string;
  /** With which the call is made; null for a server that needs none. */
  readonly account: UsedAccount | null;
  /** False when a second call has a second effect. */
  readonly idempotent: boolean;
  /** @param percent 0–100 */
  readonly onProgress: (percent: number, message: string) => void;
  readonly recordUpstreamAnswer: ToolContext['recordUpstreamAnswer'];
  readonly onLog: (line: ServerLogLine) => void;
  /** The server asks the person behind the call something before it goes on. */
  readonly onQuestion: (question: ServerQuestion) => Promise<QuestionAnswer>;
  /** It asks them to open an address: the answer has no content. */
  readonly onAddress: (question: AddressQuestion) => Promise<QuestionAnswer>;
  /** What it may ask besides, of the client behind the call. */
  readonly asks: readonly RelayedAsk[];
  /** Whether the model of that client can be given tools. */
  readonly modelTools: boolean;
  /** It asks that: the content is what the protocol has as the result. */
  readonly onRequest: (request: RelayedRequest) => Promise<QuestionAnswer>;
}

/** How a call ended on the server. A refusal is the tool's own error, in its words. */
export type UpstreamAnswer =
  | { readonly kind: 'done'; readonly data: unknown }
  | {
      readonly kind: 'refused';
      readonly invalidParams: boolean;
      /** What a status of HTTP says, where there was one. */
      readonly literal?: OutsideRefusal;
      readonly message: string;
    };

/** Resources, prompts and completion of a server. */
export interface Offers {
  /** All lists. A list that cannot be read is told in `faults`. Throws where none can be read. */
  readonly lists: (signal: AbortSignal) => Promise<OutsideOffers>;
  /** What the server answers, as it came. */
  readonly ask: (question: OutsideQuestion, limits: { readonly signal: AbortSignal; readonly timeoutMs: number }) => Promise<OfferAnswer>;
}

export type OfferAnswer =
  | { readonly kind: 'done'; readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly kind: 'refused';
      readonly literal: 'UPSTREAM_NOT_FOUND' | 'UPSTREAM_INVALID_PARAMS' | 'UPSTREAM_REFUSED';
      readonly message: string;
    };

/** Resources whose changes a server tells. */
export interface Subscriptions {
  /**
   * Listens for these, and for no others any more. @returns those that are new on this connection
   * @param onUpdated gets the address of a resource that has changed
   */
  readonly set: (uris: ReadonlySet<string>, onUpdated: (uri: string) => void) => Promise<readonly string[]>;
}

/** A connection to an outside server, whatever protocol it speaks. */
export interface Upstream {
  readonly kind: OutsideKind;
  /** The revision of the protocol; null where it has none. */
  readonly revision: string | null;
  readonly list: (signal: AbortSignal) => Promise<ToolListing>;
  readonly call: (call: ApprovedCall) => Promise<UpstreamAnswer>;
  /** What it has besides tools; null for a protocol that knows nothing of the kind. */
  readonly offers: Offers | null;
  readonly subscriptions?: Subscriptions;
  /** Begins to hear what the server announces, where that has to be asked for. */
  readonly listen: () => void;
  /** Called when the server announces that its tools have changed. */
  onToolsChanged: (() => void) | null;
  /** Called when it announces that its resources or prompts have changed. */
  onOffersChanged: (() => void) | null;
  /** Fires with the server's name for an address at which somebody is done. */
  onOpened: ((elicitationId: string) => void) | null;
  /** Called when the connection is closed. */
  onClosed: (() => void) | null;
  readonly close: () => Promise<void>;
}

/** An upstream that has tools alone, and says nothing by itself. */
export abstract class SilentUpstream {
  readonly revision = null;
  readonly offers = null;
  readonly listen = (): void => undefined;
  onToolsChanged: (() => void) | null = null;
  onOffersChanged: (() => void) | null = null;
  onOpened: ((elicitationId: string) => void) | null = null;
  onClosed: (() => void) | null = null;
}

/** Cuts a message of a server at 1,000 characters before a caller sees it. */
export function truncateMessage(message: string): string {
  return message.length > 1_000 ? `${message.slice(0, 1_000).toWellFormed()}…` : message;
}

import type { OutsideKind, OutsideTool } from '#lib/contracts';
import type { ToolContext } from '#lib/worker';

/** What an outside server says its tools are, now. Definitions that are no definitions are named. */
export interface ToolListing {
  readonly tools: readonly OutsideTool[];
  readonly malformed: readonly { readonly tool: string; readonly reason: string }[];
}

export interface UpstreamCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** @param percent 0–100 */
  readonly onProgress: (percent: number, message: string) => void;
  readonly recordUpstreamAnswer: ToolContext['recordUpstreamAnswer'];
}

/** How a call ended there. A refusal is the tool's own no, in its own words. */
export type UpstreamAnswer =
  | { readonly kind: 'done'; readonly data: unknown }
  | { readonly kind: 'refused'; readonly invalidParams: boolean; readonly message: string };

/** A connected outside server, whatever it speaks. Methods throw `Failure` with the kind of what went wrong. */
export interface Upstream {
  readonly kind: OutsideKind;
  /** Of the protocol; null where there is none. */
  readonly revision: string | null;
  readonly list: (signal: AbortSignal) => Promise<ToolListing>;
  readonly call: (call: UpstreamCall) => Promise<UpstreamAnswer>;
  /** Told when the server says that its tools are others now. */
  onToolsChanged: (() => void) | null;
  /** Told when the connection is gone. */
  onClosed: (() => void) | null;
  readonly close: () => Promise<void>;
}

/** A refusal is shown to a caller; it is bounded. */
export function truncateMessage(message: string): string {
  return message.length > 1_000 ? `${message.slice(0, 1_000)}…` : message;
}

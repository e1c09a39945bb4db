/** What became of a tool that was announced. */
export interface AnnouncedTool {
  readonly name: string;
  readonly version: string;
  /** `approved`, `pending` (an administrator has to approve it) or `refused`. */
  readonly state: string;
  readonly reason?: string | undefined;
  readonly warnings: readonly string[];
}

/** What happens to a worker, for its log. */
export type WorkerEvent =
  | { readonly kind: 'connected'; readonly worker: string; readonly tools: readonly AnnouncedTool[] }
  /** From now on these are called, as `name@version`. */
  | { readonly kind: 'serving'; readonly tools: readonly string[] }
  | { readonly kind: 'disconnected'; readonly error?: unknown; readonly againInMs: number }
  | { readonly kind: 'failed'; readonly tool: string; readonly traceId: string; readonly cause: unknown }
  /** The answer of a tool is too large to be sent, or has no form in JSON. Its attempt has failed. */
  | { readonly kind: 'unsent'; readonly tool: string; readonly traceId: string; readonly message: string }
  /** A tool left something behind that failed, or wanted to end the process. Where its attempt still ran, that has failed. */
  | { readonly kind: 'stray'; readonly tool: string; readonly traceId: string; readonly cause: Error };

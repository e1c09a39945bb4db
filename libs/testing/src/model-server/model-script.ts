// The script of a model server: its replies and the requests it got, independent of the protocol.

export interface ScriptedCall {
  readonly name: string;
  /** An object is sent as JSON, a text unchanged: it may be invalid JSON. */
  readonly arguments: object | string;
  readonly id?: string;
}

export interface ScriptedReply {
  /** Pieces are sent one by one. */
  readonly text?: string | readonly string[];
  readonly calls?: readonly ScriptedCall[];
  /** Pause before anything is sent, in ms. */
  readonly delayMs?: number;
  /** Pause before each piece of text after the first, in ms. */
  readonly pieceMs?: number;
  readonly usage?: { readonly input: number; readonly output: number };
  /** Answers with this HTTP status instead of a stream. */
  readonly status?: number;
  readonly retryAfter?: number;
  /** The connection is cut after so many pieces. */
  readonly diesAfter?: number;
  /** After so many pieces nothing more is sent, and the connection stays open. */
  readonly hangsAfter?: number;
  readonly finish?: 'stop' | 'refusal' | 'length';
  /** The answer begins when this is resolved. */
  readonly until?: Promise<unknown>;
}

export interface ModelRequest {
  readonly protocol: 'openai' | 'anthropic';
  /** The body as it came. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly system: string;
  /** All texts of all messages, results of tools included. */
  readonly texts: readonly string[];
  /** The last message of the user. */
  readonly message: string;
  readonly tools: readonly string[];
  /** `performance.now()` when it came. */
  readonly at: number;
}

export function piecesOf({ text = [] }: ScriptedReply): readonly string[] {
  return typeof text === 'string' ? [text] : text;
}

export function argumentsOf({ arguments: given }: ScriptedCall): string {
  return typeof given === 'string' ? given : JSON.stringify(given);
}

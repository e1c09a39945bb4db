import { textIn, type Language } from '#lib/contracts';
import type { Call } from '../../calls/call.js';
import type { CallContext } from './plain-forms.js';

/** How long a finished call waits for its last progress notification to be sent. */
const lastSendMs = 1_000;

interface Reading {
  readonly context: CallContext;
  readonly language: Language;
}

/**
 * Sends the progress of a call to a client that gave a token for it. The value only grows, as the protocol demands: a retry
 * that starts again sends nothing until it is further than the attempt before (C-79).
 */
export class ProgressReport implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #sent: Promise<void>;

  constructor(call: Call, context: CallContext, language: Language) {
    const token = context.mcpReq._meta?.progressToken;
    this.#sent = token === undefined ? Promise.resolve() : this.#send(call, token, { context, language });
  }

  async #send(call: Call, progressToken: string | number, { context, language }: Reading): Promise<void> {
    const { mcpReq } = context;
    let reached = -1;
    for await (const entry of call.events(0, AbortSignal.any([this.#stop.signal, mcpReq.signal]))) {
      if (entry.kind === 'end') return;
      if (entry.kind !== 'progress' || entry.progress <= reached) continue;
      reached = entry.progress;
      const params = {
        progressToken,
        progress: reached,
        total: 100,
        message: textIn(language, entry.message),
        _meta: { tool_name: call.toolName },
      };
      // A client that is gone needs no progress. Its call is ended elsewhere.
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    }
  }

  /** Everything that was reported before the end goes out before the result. */
  async [Symbol.asyncDispose](): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), lastSendMs);
    await this.#sent;
    clearTimeout(timer);
  }
}

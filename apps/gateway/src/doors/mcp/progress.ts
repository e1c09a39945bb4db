import type { ServerContext } from '@modelcontextprotocol/server';
import type { Followers } from '#lib/transport';

/** How long a finished call waits for the last of its progress to be sent. */
const lastWordMs = 1_000;

/**
 * Sends the progress of a call to a client that gave a token for it. The value only grows, as the protocol wants: retries
 * that start again say nothing until they are further than before (C-79).
 */
export class ProgressReport implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #sent: Promise<void>;

  constructor(followers: Followers, call: { readonly jobId: string; readonly toolName: string }, context: ServerContext) {
    const token = context.mcpReq._meta?.progressToken;
    this.#sent = token === undefined ? Promise.resolve() : this.#send(followers, { ...call, token }, context);
  }

  async #send(
    followers: Followers,
    { jobId, toolName, token }: { readonly jobId: string; readonly toolName: string; readonly token: string | number },
    { mcpReq }: ServerContext,
  ): Promise<void> {
    using follower = followers.follow(jobId, false);
    let reached = -1;
    for await (const entry of follower.events(0, AbortSignal.any([this.#stop.signal, mcpReq.signal]))) {
      if (entry.kind !== 'progress' || entry.progress <= reached) continue;
      reached = entry.progress;
      const params = { progressToken: token, progress: reached, total: 100, message: entry.message, _meta: { tool_name: toolName } };
      // A client that is gone needs no progress; its call is ended elsewhere.
      await mcpReq.notify({ method: 'notifications/progress', params }).catch(() => undefined);
    }
  }

  /** Everything that was reported before the end goes out before the result. */
  async [Symbol.asyncDispose](): Promise<void> {
    const timer = setTimeout(() => this.#stop.abort(), lastWordMs);
    await this.#sent;
    clearTimeout(timer);
  }
}

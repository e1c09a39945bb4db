import { Injectable } from '@nestjs/common';
import type { McpServer } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { callerOf } from '../../http/caller-of.js';
import { Calls } from '../../calls/calls.js';
import { sessionOf } from '../../http/call-headers.js';
import { Stores } from '../../stores.js';

/** How long a call can be cancelled: longer than any tool may take. */
const rememberedMs = 3_600_000;

/**
 * `notifications/cancelled` of the older revisions arrives as a request of its own, at any gateway. The session id says which
 * client's call it means. It is a name only: the server keeps no session.
 */
@Injectable()
export class Cancellations {
  constructor(
    private readonly stores: Stores,
    private readonly calls: Calls,
  ) {}

  /** Remembers which job a request of a named client became. A client without a name cancels by closing its connection. */
  note(request: Pick<FastifyRequest, 'headers' | 'facts'>, requestId: string | number, jobId: string): void {
    const key = this.#keyOf(request, requestId);
    // Best effort: a call whose note is lost cannot be cancelled this way and runs to its end.
    if (key) this.stores.redis.set(key, jobId, 'PX', rememberedMs).catch(() => undefined);
  }

  attach(mcp: McpServer, request: FastifyRequest): void {
    mcp.server.setNotificationHandler('notifications/cancelled', async ({ params: { requestId } }) => {
      const key = requestId === undefined ? null : this.#keyOf(request, requestId);
      const jobId = key && (await this.stores.redis.get(key));
      if (!jobId) return;
      // A notification has no answer, so a call that is gone is no error.
      const found = await this.calls.find(callerOf(request), jobId, sessionOf(request)).catch(() => null);
      if (!found) return;
      using call = found;
      await call.cancel('The call was cancelled by its caller', { unlessJoined: true });
    });
  }

  #keyOf(request: Pick<FastifyRequest, 'headers' | 'facts'>, requestId: string | number): string | null {
    const session = request.headers['mcp-session-id'];
    if (typeof session !== 'string') return null;
    return this.stores.keys.mcpCall([callerOf(request).credentialId, session, String(requestId)]);
  }
}

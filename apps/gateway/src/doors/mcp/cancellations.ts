import { randomUUID } from 'node:crypto';
import type { McpServer } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { InvocationStore, RedisKeys } from '#lib/transport';
import { callerOf } from '../../callers/guard.js';
import type { Answers } from '../../invocations/answers.js';
import { mayRead } from '../ownership.js';

interface CancellationsParts {
  readonly redis: Redis;
  readonly keys: RedisKeys;
  readonly store: InvocationStore;
  readonly answers: Answers;
}

const initialize = z.looseObject({ method: z.literal('initialize') });
/** A call that takes longer than this was lost. */
const rememberedMs = 3_600_000;

/**
 * `notifications/cancelled` of the older revisions comes as a request of its own, at any gateway. Which call it means is
 * told by the session id, which is nothing but a name: the server keeps no session.
 */
export class Cancellations {
  readonly #parts: CancellationsParts;

  constructor(parts: CancellationsParts) {
    this.#parts = parts;
  }

  /** The name of a new client, for the answer to its `initialize`. */
  nameFor(body: unknown): string | null {
    return initialize.safeParse(body).success ? randomUUID() : null;
  }

  /** Remembers which job a request of a named client is. A client without a name cancels by going away. */
  note(request: FastifyRequest, requestId: string | number, jobId: string): void {
    const key = this.#keyOf(request, requestId);
    // A help, not a duty: a call whose note is lost runs on.
    if (key) this.#parts.redis.set(key, jobId, 'PX', rememberedMs).catch(() => undefined);
  }

  attach(mcp: McpServer, request: FastifyRequest): void {
    mcp.server.setNotificationHandler('notifications/cancelled', async ({ params: { requestId } }) => {
      const key = requestId === undefined ? null : this.#keyOf(request, requestId);
      const jobId = key && (await this.#parts.redis.get(key));
      const record = jobId ? await this.#parts.store.read(jobId) : null;
      if (!record || record.ending || !mayRead(callerOf(request), record.head.caller)) return;
      const error = { code: 'CANCELLED', family: 'CANCELLED', message: 'The call was cancelled by its caller' } as const;
      const outcome = { ok: false, error } as const;
      await this.#parts.answers.endNow(record.jobId, record.head, { state: 'cancelled', outcome, unlessJoined: true });
    });
  }

  #keyOf(request: FastifyRequest, requestId: string | number): string | null {
    const session = request.headers['mcp-session-id'];
    if (typeof session !== 'string') return null;
    return this.#parts.keys.mcpCall([callerOf(request).credentialId, session, String(requestId)]);
  }
}

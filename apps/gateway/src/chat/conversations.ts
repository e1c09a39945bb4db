import { principal, Refusal, type Caller } from '#lib/contracts';
import type { Database } from '#lib/platform';
import { z } from 'zod';

const maxConversations = 100;
const maxTurns = 500;
const keptClaims = 20_000;

const steps = z.array(
  z.object({
    text: z.string(),
    calls: z.array(z.object({ id: z.string(), name: z.string(), arguments: z.unknown() })),
    results: z.array(z.object({ id: z.string(), result: z.unknown() })),
  }),
);

type Row = Awaited<ReturnType<Database['chatTurn']['findMany']>>[number];

/** Conversations of the caller, and of nobody else: a foreign one is not told from one that does not exist. */
export class Conversations {
  readonly #database: Database;
  readonly #claimed = new Claims();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Takes a conversation for the caller: a new one becomes theirs. Throws RESOURCE_NOT_FOUND when it is somebody else's. */
  async claim(caller: Caller, id: string): Promise<void> {
    // Whose it is changes only when it is deleted; the worker that writes into it looks again.
    if (this.#claimed.has(caller, id)) return;
    const rows: readonly unknown[] = await stored(
      () => this.#database.$queryRaw`
        INSERT INTO conversation AS mine (tenant_id, id, owner) VALUES (${caller.tenantId}, ${id}::uuid, ${principal(caller)})
        ON CONFLICT (tenant_id, id) DO UPDATE SET updated_at = now() WHERE mine.owner = EXCLUDED.owner
        RETURNING 1`,
    );
    if (rows.length === 0) throw noConversation();
    this.#claimed.add(caller, id);
  }

  /** Deletes a conversation with its messages. @returns the jobs of its turns; null when the caller has no such conversation */
  async remove(caller: Caller, id: string): Promise<readonly string[] | null> {
    const { tenantId } = caller;
    const where = { tenantId, id, owner: principal(caller) };
    this.#claimed.delete(caller, id);
    return stored(async () => {
      const turns = await this.#database.chatTurn.findMany({
        where: { tenantId, conversationId: id, conversation: { owner: where.owner } },
        select: { id: true },
      });
      const { count } = await this.#database.conversation.deleteMany({ where });
      return count === 0 ? null : turns.map((turn) => turn.id);
    });
  }

  /** Newest first. */
  async list(caller: Caller): Promise<object> {
    const rows = await stored(() =>
      this.#database.conversation.findMany({
        where: { tenantId: caller.tenantId, owner: principal(caller) },
        orderBy: { updatedAt: 'desc' },
        take: maxConversations,
        include: { turns: { orderBy: { createdAt: 'asc' }, take: 1, select: { message: true } } },
      }),
    );
    return {
      conversations: rows.map(({ id, createdAt, updatedAt, turns }) => ({
        conversation_id: id,
        title: turns[0]?.message.slice(0, 80) ?? '',
        created_at: createdAt.toISOString(),
        updated_at: updatedAt.toISOString(),
      })),
    };
  }

  /** With its messages, oldest first, in the shape that useChat begins with. */
  async read(caller: Caller, id: string): Promise<object> {
    const row = await stored(() =>
      this.#database.conversation.findFirst({
        where: { tenantId: caller.tenantId, id, owner: principal(caller) },
        include: { turns: { where: { state: { not: 'replaced' } }, orderBy: { createdAt: 'asc' }, take: maxTurns } },
      }),
    );
    if (!row) throw noConversation();
    return {
      conversation_id: row.id,
      created_at: row.createdAt.toISOString(),
      updated_at: row.updatedAt.toISOString(),
      messages: row.turns.flatMap(messagesOf),
    };
  }
}

function messagesOf(turn: Row): object[] {
  const { id, message, content, state, createdAt, finishedAt } = turn;
  const asked = {
    id: `${id}-user`,
    role: 'user',
    content: message,
    parts: [{ type: 'text', text: message }],
    created_at: createdAt.toISOString(),
  };
  const answered = {
    id: messageIdOf(id),
    role: 'assistant',
    content,
    parts: partsOf(turn),
    state,
    created_at: (finishedAt ?? createdAt).toISOString(),
  };
  return content === '' && state !== 'completed' ? [asked] : [asked, answered];
}

function partsOf(turn: Row): object[] {
  const parsed = steps.safeParse(turn.steps);
  if (!parsed.success) return [{ type: 'text', text: turn.content }];
  return parsed.data.flatMap(({ text, calls, results }) => [
    { type: 'step-start' },
    ...(text ? [{ type: 'text', text }] : []),
    ...calls.map((call) => ({
      type: `tool-${call.name}`,
      toolCallId: call.id,
      state: 'output-available',
      input: call.arguments,
      output: results.find(({ id }) => id === call.id)?.result ?? null,
    })),
  ]);
}

/** The answer's id in every stream and list. */
export function messageIdOf(jobId: string): string {
  return `msg_${jobId.split('_').at(-1) ?? ''}`;
}

export function noConversation(): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', 'There is no such conversation of yours');
}

/** Conversations that have been found to be a caller's, the latest of them. */
class Claims {
  readonly #known = new Set<string>();

  has(caller: Caller, id: string): boolean {
    return this.#known.has(nameOf(caller, id));
  }

  add(caller: Caller, id: string): void {
    this.#known.add(nameOf(caller, id));
    const [oldest] = this.#known;
    if (this.#known.size > keptClaims && oldest !== undefined) this.#known.delete(oldest);
  }

  delete(caller: Caller, id: string): void {
    this.#known.delete(nameOf(caller, id));
  }
}

function nameOf(caller: Caller, id: string): string {
  return `${principal(caller)} ${id}`;
}

async function stored<T>(work: () => PromiseLike<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    const refusal = new Refusal('NETWORK_ERROR', 'The conversations cannot be reached at the moment; try again', { retry_after_ms: 1_000 });
    refusal.cause = cause;
    throw refusal;
  }
}

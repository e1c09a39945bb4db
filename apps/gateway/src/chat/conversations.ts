import { principal, Refusal, type Caller } from '#lib/contracts';
import { ConversationStore, type ConversationKey, type StoredTurn } from '#lib/conversations';
import type { Database } from '#lib/platform';
import { stored } from '../http/stored.js';

const unreachable = 'The conversations cannot be reached at the moment; try again';
const maxTitleCharacters = 80;
const maxKnownClaims = 20_000;

/** Conversations of the caller, as the chat doors show them. Every method throws NETWORK_ERROR when the database is away. */
export class Conversations {
  readonly #store: ConversationStore;
  readonly #claimed = new Claims();

  constructor(database: Database) {
    this.#store = new ConversationStore(database);
  }

  /** Takes a conversation for the caller: a new one becomes theirs. Throws RESOURCE_NOT_FOUND when it is somebody else's. */
  async claim(caller: Caller, id: string): Promise<void> {
    // The owner changes only when the conversation is deleted, and the worker that writes into it checks again.
    if (this.#claimed.has(caller, id)) return;
    if (!(await stored(unreachable, () => this.#store.claim(keyOf(caller, id))))) throw noConversation();
    this.#claimed.add(caller, id);
  }

  /** Deletes a conversation with its messages. @returns the jobs of its turns; null when the caller has no such conversation */
  async remove(caller: Caller, id: string): Promise<readonly string[] | null> {
    this.#claimed.delete(caller, id);
    return stored(unreachable, () => this.#store.remove(keyOf(caller, id)));
  }

  /** Newest first. */
  async list(caller: Caller): Promise<object> {
    const conversations = await stored(unreachable, () => this.#store.list({ tenantId: caller.tenantId, owner: principal(caller) }));
    return {
      conversations: conversations.map(({ id, firstMessage, createdAt, updatedAt }) => ({
        conversation_id: id,
        title: firstMessage?.slice(0, maxTitleCharacters).toWellFormed() ?? '',
        created_at: createdAt.toISOString(),
        updated_at: updatedAt.toISOString(),
      })),
    };
  }

  /** With its messages, oldest first, in the shape that useChat begins with. Throws RESOURCE_NOT_FOUND. */
  async read(caller: Caller, id: string): Promise<object> {
    const conversation = await stored(unreachable, () => this.#store.read(keyOf(caller, id)));
    if (!conversation) throw noConversation();
    return {
      conversation_id: id,
      created_at: conversation.createdAt.toISOString(),
      updated_at: conversation.updatedAt.toISOString(),
      messages: conversation.turns.flatMap(messagesOf),
    };
  }
}

function keyOf(caller: Caller, conversationId: string): ConversationKey {
  return { tenantId: caller.tenantId, owner: principal(caller), conversationId };
}

function messagesOf(turn: StoredTurn): object[] {
  const { jobId, message, content, state, createdAt, finishedAt } = turn;
  const asked = {
    id: `${jobId}-user`,
    role: 'user',
    content: message,
    parts: [{ type: 'text', text: message }],
    created_at: createdAt.toISOString(),
  };
  const answered = {
    id: messageIdOf(jobId),
    role: 'assistant',
    content,
    parts: partsOf(turn),
    state,
    created_at: (finishedAt ?? createdAt).toISOString(),
  };
  return content === '' && state !== 'completed' ? [asked] : [asked, answered];
}

function partsOf({ steps, content }: StoredTurn): object[] {
  if (!steps) return [{ type: 'text', text: content }];
  return steps.flatMap(({ text, calls, results }) => [
    { type: 'step-start' },
    ...(text ? [{ type: 'text', text }] : []),
    ...calls.map((call) => ({
      type: `tool-${call.name}`,
      toolCallId: call.id,
      state: 'output-available',
      input: call.arguments,
      output: results.find(({ id }) => id === call.id)?.result ?? null,
    })),
    ...results.flatMap(({ id, job_id: runId }) =>
      runId === undefined ? [] : [{ type: 'data-run', id, data: { toolCallId: id, jobId: runId } }],
    ),
  ]);
}

/** The answer's id in every stream and list. */
export function messageIdOf(jobId: string): string {
  return `msg_${jobId.split('_').at(-1) ?? ''}`;
}

export function noConversation(): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', 'There is no such conversation of yours');
}

/** The latest conversations that were found to be their caller's. */
class Claims {
  readonly #known = new Set<string>();

  has(caller: Caller, id: string): boolean {
    return this.#known.has(nameOf(caller, id));
  }

  add(caller: Caller, id: string): void {
    this.#known.add(nameOf(caller, id));
    const [oldest] = this.#known;
    if (this.#known.size > maxKnownClaims && oldest !== undefined) this.#known.delete(oldest);
  }

  delete(caller: Caller, id: string): void {
    this.#known.delete(nameOf(caller, id));
  }
}

function nameOf(caller: Caller, id: string): string {
  return `${principal(caller)} ${id}`;
}

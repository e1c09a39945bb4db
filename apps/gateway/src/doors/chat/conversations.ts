import { Inject, Injectable } from '@nestjs/common';
import { z } from 'zod';
import { principal, Refusal, type Caller, type ConversationQuery } from '#lib/contracts';
import { ConversationStore, type ConversationKey, type PageAsked, type PagePlace, type StoredTurn } from '#lib/conversations';
import type { Database } from '#lib/platform';
import { stored } from '../../http/stored.js';
import { Cursors } from '../../http/cursors.js';
import { Stores } from '../../stores.js';

const unreachable = 'The conversations cannot be reached at the moment; try again';
const maxTitleCharacters = 80;
const maxKnownClaims = 20_000;
const pagePlace = z.strictObject({ at: z.number().int().nonnegative(), id: z.string() });

/** Conversations of the caller, as the chat doors show them. Every method throws NETWORK_ERROR when the database is away. */
@Injectable()
export class Conversations {
  readonly #store: ConversationStore;
  readonly #claimed = new Claims();
  readonly #cursors: Cursors<PagePlace>;

  constructor(
    @Inject(Stores) { database, settings }: { readonly database: Database; readonly settings: Pick<Stores['settings'], 'SEALING_KEYS'> },
  ) {
    this.#store = new ConversationStore(database);
    this.#cursors = new Cursors(settings.SEALING_KEYS, pagePlace);
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

  /** Newest first. Throws INVALID_PARAMS for a cursor of another list. */
  async list(caller: Caller, query: ConversationQuery): Promise<object> {
    const owner = { tenantId: caller.tenantId, owner: principal(caller) };
    const binding = JSON.stringify(['conversations', owner.owner]);
    const asked = this.#asked(query, binding);
    const { conversations, next } = await stored(unreachable, () => this.#store.list(owner, asked));
    return {
      conversations: conversations.map(({ id, firstMessage, createdAt, updatedAt }) => ({
        conversation_id: id,
        title: firstMessage?.slice(0, maxTitleCharacters).toWellFormed() ?? '',
        created_at: createdAt.toISOString(),
        updated_at: updatedAt.toISOString(),
      })),
      pagination: this.#pagination(next, binding),
    };
  }

  /**
   * A page of its messages, oldest first, in the shape that useChat begins with. The first page has the latest, the next one those before.
   * Throws RESOURCE_NOT_FOUND, INVALID_PARAMS for a cursor of another conversation.
   */
  async read(caller: Caller, id: string, query: ConversationQuery): Promise<object> {
    const binding = JSON.stringify(['conversation', principal(caller), id]);
    const asked = this.#asked(query, binding);
    const conversation = await stored(unreachable, () => this.#store.read(keyOf(caller, id), asked));
    if (!conversation) throw noConversation();
    return {
      conversation_id: id,
      created_at: conversation.createdAt.toISOString(),
      updated_at: conversation.updatedAt.toISOString(),
      messages: conversation.turns.flatMap(messagesOf),
      pagination: this.#pagination(conversation.next, binding),
    };
  }

  #asked({ cursor, limit }: ConversationQuery, binding: string): PageAsked {
    return { limit, after: cursor === undefined ? null : this.#cursors.open(cursor, binding) };
  }

  #pagination(next: PagePlace | null, binding: string): object {
    return { has_more: next !== null, next_cursor: next && this.#cursors.seal(next, binding) };
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

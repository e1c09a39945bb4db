// The body of a chat message: that of the source document, or that of the AI SDK's useChat (C-61).
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseOrRefuse, principal, Refusal, type Caller, type ChatDialect, type ChatMode } from '#lib/contracts';
import { attachedFiles, withFiles } from './attached-files.js';

const maxMessage = 16_000;

const uiMessage = z.looseObject({
  role: z.string(),
  parts: z.array(z.looseObject({ type: z.string(), text: z.unknown().optional() })).optional(),
  /** Older clients. */
  content: z.unknown().optional(),
});
const common = {
  mode: z.enum(['simple', 'complex'], 'must be simple or complex').default('complex'),
  conversation_id: z.guid('must be a UUID').optional(),
};
const bodies = {
  source: z.looseObject({ ...common, message: z.string() }),
  /** Clients that send only their last message. */
  lastMessage: z.looseObject({ ...common, id: z.string().min(1).max(200).optional(), message: uiMessage, trigger: z.string().optional() }),
  messages: z.looseObject({
    ...common,
    id: z.string().min(1).max(200).optional(),
    messages: z.array(uiMessage).min(1, 'must hold at least one message').max(10_000, 'must hold at most 10,000 messages'),
    trigger: z.enum(['submit-message', 'regenerate-message']).optional(),
  }),
};

/** JSON Schema of a message, in the words of both kinds of clients. */
export const chatMessage = {
  type: 'object',
  description: '`message` as a text for the dialect of the source document, `messages` for that of the AI SDK.',
  properties: {
    message: { type: 'string', minLength: 1, maxLength: maxMessage },
    conversation_id: { type: 'string', format: 'uuid' },
    mode: { type: 'string', enum: ['simple', 'complex'], default: 'complex' },
    id: { type: 'string' },
    messages: { type: 'array', items: { type: 'object' } },
  },
};

export interface ChatRequest {
  readonly message: string;
  /** The client's own name for the conversation; null begins a new one. */
  readonly chatId: string | null;
  readonly dialect: ChatDialect;
  readonly mode: Exclude<ChatMode, 'guest'>;
  readonly regenerate: boolean;
}

/** @param protocol the header X-Stream-Protocol. Throws INVALID_PARAMS that names the field. */
export function readChatRequest(body: unknown, protocol: string | undefined): ChatRequest {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalid('', 'The body must be a JSON object');
  const isAiSdk = protocol?.toLowerCase() === 'ai-sdk';
  if ('messages' in body) {
    const sent = parseOrRefuse(bodies.messages, body);
    const last = sent.messages.findLast(({ role }) => role === 'user');
    if (!last) throw invalid('messages', 'must hold a message of the user');
    return ofAiSdk(sent, textOf(last, 'messages'));
  }
  if ('message' in body && typeof body.message === 'object' && body.message !== null) {
    const sent = parseOrRefuse(bodies.lastMessage, body);
    return ofAiSdk(sent, textOf(sent.message, 'message'));
  }
  const { message, conversation_id: chatId = null, mode } = parseOrRefuse(bodies.source, body);
  return { message: checked(message, 'message'), chatId, dialect: isAiSdk ? 'ai-sdk' : 'source', mode, regenerate: false };
}

/**
 * The conversation that a client means: its own UUID, or one that follows from whatever it calls it, for this caller alone.
 */
export function conversationIdOf(caller: Caller, chatId: string): string {
  if (z.guid().safeParse(chatId).success) return chatId.toLowerCase();
  const digest = createHash('sha256')
    .update(JSON.stringify([principal(caller), chatId]))
    .digest('hex');
  // UUID version 8: made by rules of our own (RFC 9562).
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(13, 16)}-a${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

function ofAiSdk(
  { id, trigger, mode, conversation_id }: Pick<z.infer<typeof bodies.lastMessage>, 'id' | 'trigger' | 'mode' | 'conversation_id'>,
  message: string,
): ChatRequest {
  return { message, chatId: conversation_id ?? id ?? null, dialect: 'ai-sdk', mode, regenerate: trigger === 'regenerate-message' };
}

function textOf({ parts, content }: z.infer<typeof uiMessage>, path: string): string {
  const texts = parts?.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const written = texts?.join('\n') ?? (typeof content === 'string' ? content : '');
  const files = attachedFiles(parts ?? []);
  const unread = files.filter(({ text }) => text === null);
  if (written.trim() === '' && unread.length > 0 && unread.length === files.length) {
    const named = unread.map(({ name, mediaType }) => `${name} (${mediaType})`).join(', ');
    throw invalid(path, `holds files alone that are not read here: ${named}. Write a text, or attach text files`);
  }
  const message = withFiles(written, files);
  if (message.length > maxMessage && files.length > unread.length)
    throw invalid(path, `must have at most ${maxMessage} characters with the text of its files, and has ${message.length}`);
  return checked(message, path);
}

function checked(text: string, path: string): string {
  if (text.trim() === '') throw invalid(path, 'must not be empty');
  if (text.length > maxMessage) throw invalid(path, `must have at most ${maxMessage} characters`);
  return text;
}

function invalid(path: string, message: string): Refusal {
  return new Refusal('INVALID_PARAMS', path ? `Parameter '${path}' ${message}` : message, { details: [{ path, message }] });
}

// The body of a chat message: that of the source document, or that of the AI SDK's useChat (C-61).
import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  isJsonObject,
  inputDecision,
  parseOrRefuse,
  principal,
  Refusal,
  type Caller,
  type ChatDialect,
  type ChatMode,
} from '#lib/contracts';
import { attachedFiles, withFiles } from './attached-files.js';

/** @limit chats: characters of a message with the text of its files; INVALID_PARAMS */
const maxMessage = 16_000;

const uiMessage = z.looseObject({
  role: z.string(),
  parts: z.array(z.looseObject({ type: z.string(), text: z.unknown().optional() })).optional(),
  /** Older clients. */
  content: z.unknown().optional(),
});
/** What a person said to a request for an approval: a part of a tool call, as the AI SDK sends it back. */
const answeredPart = z.looseObject({
  toolCallId: z.string(),
  state: z.literal('approval-responded'),
  approval: z.looseObject({ id: z.string(), approved: z.boolean(), reason: inputDecision.shape.reason }),
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

/** What a person said to a request of a call for an approval. */
export interface ApprovalAnswer {
  readonly toolCallId: string;
  /** The id of the input request. */
  readonly id: string;
  readonly approved: boolean;
  readonly reason: string | undefined;
}

export interface ChatRequest {
  /** Empty where `answers` has any. */
  readonly message: string;
  /** In the place of a message: what the last answer asked for. */
  readonly answers: readonly ApprovalAnswer[];
  /** The client's own name for the conversation; null begins a new one. */
  readonly chatId: string | null;
  readonly dialect: ChatDialect;
  readonly mode: Exclude<ChatMode, 'guest'>;
  readonly regenerate: boolean;
}

/** @param protocol the header X-Stream-Protocol. Throws INVALID_PARAMS that names the field. */
export function readChatRequest(body: unknown, protocol: string | undefined): ChatRequest {
  if (!isJsonObject(body)) throw invalid('', 'The body must be a JSON object');
  const isAiSdk = isAiSdkProtocol(protocol);
  if ('messages' in body) {
    const sent = parseOrRefuse(bodies.messages, body);
    const answers = answersIn(sent.messages.at(-1), sent.trigger);
    if (answers.length > 0) return { ...ofAiSdk(sent, ''), answers };
    const last = sent.messages.findLast(({ role }) => role === 'user');
    if (!last) throw invalid('messages', 'must hold a message of the user');
    return ofAiSdk(sent, textOf(last, 'messages'));
  }
  if ('message' in body && typeof body.message === 'object' && body.message !== null) {
    const sent = parseOrRefuse(bodies.lastMessage, body);
    const answers = answersIn(sent.message, sent.trigger);
    if (answers.length > 0) return { ...ofAiSdk(sent, ''), answers };
    return ofAiSdk(sent, textOf(sent.message, 'message'));
  }
  const { message, conversation_id: chatId = null, mode } = parseOrRefuse(bodies.source, body);
  return { message: checked(message, 'message'), answers: [], chatId, dialect: isAiSdk ? 'ai-sdk' : 'source', mode, regenerate: false };
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
  return {
    message,
    answers: [],
    chatId: conversation_id ?? id ?? null,
    dialect: 'ai-sdk',
    mode,
    regenerate: trigger === 'regenerate-message',
  };
}

function answersIn(last: z.infer<typeof uiMessage> | undefined, trigger: string | undefined): readonly ApprovalAnswer[] {
  if (last?.role !== 'assistant' || trigger === 'regenerate-message') return [];
  return (last.parts ?? []).flatMap((part) => {
    const { success, data } = answeredPart.safeParse(part);
    if (!success) return [];
    const { id, approved, reason } = data.approval;
    return [{ toolCallId: data.toolCallId, id, approved, reason }];
  });
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

/** Whether the header X-Stream-Protocol asks for the chunks of the AI SDK. */
export function isAiSdkProtocol(protocol: string | undefined): boolean {
  return /^ai-sdk(-5)?$/i.test(protocol ?? '');
}

/** Whether a client takes requests for approvals in the stream. Those of the AI SDK 5 break at them, and say so by X-Stream-Protocol: ai-sdk-5. */
export function takesApprovals(dialect: ChatDialect, protocol: string | undefined): boolean {
  return dialect === 'ai-sdk' && protocol?.toLowerCase() !== 'ai-sdk-5';
}

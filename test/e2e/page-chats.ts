// The chats of the real packages of the AI SDK as a page has them, without a page.
import * as ai7 from 'ai';
import * as ai5 from 'ai5';
import * as ai6 from 'ai6';
import { z } from 'zod';

export interface Place {
  readonly api: string;
  readonly headers: Record<string, string>;
}

/** A chat as a page has it: its messages, and what a person does. */
export interface PageChat {
  readonly messages: readonly { readonly role: string; readonly parts: readonly { readonly type: string }[] }[];
  readonly status: string;
  readonly error: Error | undefined;
  readonly send: (text: string) => Promise<void>;
  /** Undefined where the version knows no approvals. */
  readonly respond?: (id: string, approved: boolean, reason?: string) => Promise<void>;
}

/** What a chat keeps, without a page. */
function plainState<Message>() {
  const state = {
    status: 'ready' as const,
    error: undefined,
    messages: [] as Message[],
    pushMessage: (message: Message) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (index: number, message: Message) => void (state.messages = state.messages.with(index, message)),
    snapshot: <T>(thing: T): T => structuredClone(thing),
  };
  return state;
}

class Chat5 extends ai5.AbstractChat<ai5.UIMessage> {}
class Chat6 extends ai6.AbstractChat<ai6.UIMessage> {}
class Chat7 extends ai7.AbstractChat<ai7.UIMessage> {}

export function chat5(place: Place, id: string): PageChat {
  const chat = new Chat5({ id, transport: new ai5.DefaultChatTransport(place), state: plainState<ai5.UIMessage>() });
  return withSend(chat, async (text) => chat.sendMessage({ text }));
}

export function chat6(place: Place, id: string): PageChat {
  const chat = new Chat6({
    id,
    transport: new ai6.DefaultChatTransport(place),
    state: plainState<ai6.UIMessage>(),
    sendAutomaticallyWhen: ai6.lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const respond = async (request: string, approved: boolean, reason?: string) =>
    chat.addToolApprovalResponse({ id: request, approved, ...(reason && { reason }) });
  return Object.assign(
    withSend(chat, async (text) => chat.sendMessage({ text })),
    { respond },
  );
}

export function chat7(place: Place, id: string): PageChat {
  const chat = new Chat7({
    id,
    transport: new ai7.DefaultChatTransport(place),
    state: plainState<ai7.UIMessage>(),
    sendAutomaticallyWhen: ai7.lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const respond = async (request: string, approved: boolean, reason?: string) =>
    chat.addToolApprovalResponse({ id: request, approved, ...(reason && { reason }) });
  return Object.assign(
    withSend(chat, async (text) => chat.sendMessage({ text })),
    { respond },
  );
}

function withSend(chat: Pick<PageChat, 'messages' | 'status' | 'error'>, send: PageChat['send']): PageChat {
  return {
    get messages() {
      return chat.messages;
    },
    get status() {
      return chat.status;
    },
    get error() {
      return chat.error;
    },
    send,
  };
}

const toolPart = z.looseObject({
  type: z.string(),
  toolCallId: z.string(),
  state: z.string(),
  output: z.unknown(),
  approval: z.looseObject({ id: z.string() }).optional(),
});

/** The parts of tool calls. */
export function callsIn(chat: PageChat): readonly z.infer<typeof toolPart>[] {
  const parts = chat.messages.flatMap((message) => message.parts);
  return parts.flatMap((part) => (part.type.startsWith('tool-') ? [toolPart.parse(part)] : []));
}

export const callIn = (chat: PageChat) => callsIn(chat).at(-1);

export const textIn = (chat: PageChat) =>
  chat.messages
    .filter(({ role }) => role === 'assistant')
    .flatMap(({ parts }) => parts.flatMap((part) => ('text' in part ? [String(part.text)] : [])))
    .join('|');

// A client of the chat door that measures when the words of an answer come.
import { readServerSentEvents } from '#lib/client';

export interface ChatAnswer {
  readonly conversationId: string;
  readonly text: string;
  readonly tools: readonly { readonly name: string; readonly input: unknown; readonly output: unknown }[];
  readonly error: { readonly type: string; readonly message: string } | null;
  /** ms from the request to the first word; null when there was none. */
  readonly firstWordMs: number | null;
  /** ms from the request to the end. */
  readonly totalMs: number;
}

interface Chunk {
  readonly type?: string;
  readonly delta?: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly input?: unknown;
  readonly output?: unknown;
  readonly message?: string;
}

interface ChatCaller {
  readonly url: string;
  readonly apiKey: string;
  /** Speaks for this user, where the key may. */
  readonly userId?: string;
}

export async function sendMessage({ url, apiKey, userId }: ChatCaller, body: object): Promise<ChatAnswer> {
  const start = performance.now();
  const response = await fetch(`${url}/chat/v5/stream`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...(userId && { 'x-user-id': userId }),
    },
    body: JSON.stringify(body),
  });
  if (!response.ok || !response.body) throw new Error(`the chat door answers ${response.status}: ${await response.text()}`);
  const tools = new Map<string, { name: string; input: unknown; output: unknown }>();
  let text = '';
  let firstWordMs: number | null = null;
  let error: ChatAnswer['error'] = null;
  for await (const { event, data } of readServerSentEvents(response.body)) {
    const chunk: Chunk = JSON.parse(data);
    if (event === 'error') error = { type: chunk.type ?? '', message: chunk.message ?? '' };
    else if (chunk.type === 'text-delta') {
      firstWordMs ??= performance.now() - start;
      text += chunk.delta ?? '';
    } else if (chunk.type === 'tool-input-available')
      tools.set(chunk.toolCallId ?? '', { name: chunk.toolName ?? '', input: chunk.input, output: null });
    else if (chunk.type === 'tool-output-available') {
      const tool = tools.get(chunk.toolCallId ?? '');
      if (tool) tool.output = chunk.output;
    }
  }
  const conversationId = response.headers.get('x-conversation-id') ?? '';
  return { conversationId, text, tools: [...tools.values()], error, firstWordMs, totalMs: performance.now() - start };
}

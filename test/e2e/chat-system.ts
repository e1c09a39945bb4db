// The system with an agent worker whose model is scripted: chats as their clients see them, and what the model was asked.
import { randomUUID } from 'node:crypto';
import {
  ModelServer,
  startSystem,
  type AppProcess,
  type EventReader,
  type HttpCaller,
  type ScriptedReply,
  type StreamEvent,
  type System,
  type SystemOptions,
} from '#lib/testing';

const agentMain = 'dist/apps/agent-worker/src/main.js';

export interface ChatSystem extends AsyncDisposable {
  readonly system: System;
  readonly model: ModelServer;
  readonly agents: readonly AppProcess[];
}

interface ChatSystemOptions extends SystemOptions {
  readonly agents?: number;
  readonly agentEnv?: Readonly<Record<string, string>>;
}

export async function startChatSystem({ agents = 1, agentEnv, more = [], ...options }: ChatSystemOptions = {}): Promise<ChatSystem> {
  await using started = new AsyncDisposableStack();
  const model = started.use(await ModelServer.start());
  const env = { MODEL: 'scripted', MODEL_BASE_URL: model.url, MODEL_API_KEY: 'key-of-the-provider', ...agentEnv };
  const agent = { main: agentMain, env };
  const system = started.use(await startSystem({ ...options, more: [...Array.from({ length: agents }, () => agent), ...more] }));
  const owned = started.move();
  return { system, model, agents: system.more.slice(0, agents), [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** A unique message, and the model's replies to it. */
export function scripted(model: ModelServer, ...replies: readonly ScriptedReply[]): string {
  const marker = `message ${randomUUID()}`;
  model.on(marker, ...replies);
  return marker;
}

export interface Chat {
  readonly events: readonly StreamEvent[];
  readonly headers: Headers;
  readonly conversationId: string;
  /** Data of the chunks without an event name. */
  readonly chunks: readonly Chunk[];
  readonly text: string;
  /** Data of `event: error`, if it came. */
  readonly error: unknown;
}

export type Chunk = Readonly<Record<string, unknown>> & { readonly type: string };

export function openChat(caller: HttpCaller, body: object, path = '/chat/v5/stream'): Promise<EventReader> {
  return caller.stream(path, { method: 'POST', json: body });
}

/** Sends a message in the source dialect and reads until the stream closes. */
export async function chat(caller: HttpCaller, body: object, path?: string): Promise<Chat> {
  await using stream = await openChat(caller, body, path);
  return readChat(stream.headers, await stream.rest());
}

export function readChat(headers: Headers, events: readonly StreamEvent[]): Chat {
  const chunks = events.filter(({ event }) => event === 'message').map(({ data }) => toChunk(data));
  return {
    events,
    headers,
    conversationId: headers.get('x-conversation-id') ?? '',
    chunks,
    text: textOf(chunks),
    error: events.find(({ event }) => event === 'error')?.data,
  };
}

/** Chunks of the AI SDK dialect, read as plain text: every line is data, the last is `[DONE]`. */
export function pureChunks(text: string): readonly Chunk[] {
  const lines = text.split('\n').filter((line) => line.startsWith('data: '));
  if (lines.pop() !== 'data: [DONE]') throw new Error(`the stream does not end with [DONE]: ${text.slice(-200)}`);
  return lines.map((line) => toChunk(JSON.parse(line.slice('data: '.length))));
}

export function textOf(chunks: readonly Chunk[]): string {
  return chunks.map(({ type, delta }) => (type === 'text-delta' ? String(delta) : '')).join('');
}

function toChunk(data: unknown): Chunk {
  if (typeof data !== 'object' || data === null || !('type' in data) || typeof data.type !== 'string')
    throw new Error(`no chunk: ${JSON.stringify(data)}`);
  return { ...data, type: data.type };
}

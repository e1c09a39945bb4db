// Answers of the SDK in the form that a client reads: JSON for one that takes no event stream, its own ids, and faults in words.
import { ReadableStream } from 'node:stream/web';
import { isJsonObject, jsonIn } from '#lib/contracts';
import { withLists } from './tool-lists.js';

interface Reader {
  readonly takesStream: boolean;
  /** Ids of the client, by those that stand for them. */
  readonly ids: ReadonlyMap<string, unknown>;
  /** Told of each code of JSON-RPC. */
  readonly onRefusal?: ((code: number) => void) | undefined;
  /** What belongs where one entry stands for a list (see `listStandIn`). */
  readonly list: () => Buffer;
}

/** JSON has other ends of lines within its texts, which a pattern would take for one. */
const dataField = 'data: ';

type Message = Readonly<Record<string, unknown>>;

/** Whether a client reads an event stream. One that names any type, or none, is answered with JSON, which everybody reads. */
export function takesStream(accept: string | undefined): boolean {
  return /text\/event-stream(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accept ?? '');
}

export async function readableAnswer(response: Response, reader: Reader): Promise<Response> {
  if (!response.body) return response;
  const { status, headers } = response;
  const isStream = headers.get('content-type')?.includes('text/event-stream') ?? false;
  if (isStream && reader.takesStream) return new Response(response.body.pipeThrough(eachEvent(reader)), { status, headers });
  const text = await response.text();
  const messages = isStream ? messagesIn(text) : [];
  const [only] = messages;
  const answer = isStream ? (messages.length === 1 && only ? only : messages) : messageIn(text);
  if (answer === undefined) return new Response(text, { status, headers });
  const kept = new Headers(headers);
  for (const name of ['content-length', 'connection', 'x-accel-buffering', 'cache-control']) kept.delete(name);
  kept.set('content-type', 'application/json');
  const json = JSON.stringify(Array.isArray(answer) ? answer.map((one) => readable(one, reader)) : readable(answer, reader));
  const parts = withLists(json, reader.list);
  if (parts.length === 1) return new Response(json, { status, headers: kept });
  kept.set('content-length', String(parts.reduce((sum, { length }) => sum + length, 0)));
  return new Response(ReadableStream.from(parts), { status, headers: kept });
}

/** The answers in an event stream that has ended. What a server says beside them is for those who listen. */
function messagesIn(stream: string): readonly Message[] {
  const data = stream.split('\n').filter((line) => line.startsWith(dataField));
  const all = data.map((line) => messageIn(line.slice(dataField.length))).filter((message) => message !== undefined);
  return all.filter((message) => !('method' in message));
}

/** The SDK writes each event as one chunk. */
function eachEvent(reader: Reader): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(chunk, controller) {
      const text = Buffer.from(chunk).toString();
      const isReadable = reader.ids.size === 0 && !text.includes('"error":');
      for (const part of withLists(isReadable ? text : inReadableEvents(text, reader), reader.list)) controller.enqueue(part);
    },
  });
}

function inReadableEvents(text: string, reader: Reader): string {
  const lines = text.split('\n').map((line) => {
    const message = line.startsWith(dataField) ? messageIn(line.slice(dataField.length)) : undefined;
    return message === undefined ? line : dataField + JSON.stringify(readable(message, reader));
  });
  return lines.join('\n');
}

function readable(given: unknown, { ids, onRefusal }: Pick<Reader, 'ids' | 'onRefusal'>): unknown {
  if (!isJsonObject(given)) return given;
  const { id, error } = given;
  if (onRefusal && isJsonObject(error) && typeof error['code'] === 'number') onRefusal(error['code']);
  return {
    ...given,
    ...(typeof id === 'string' && ids.has(id) && { id: ids.get(id) }),
    ...(isJsonObject(error) && typeof error['message'] === 'string' && { error: { ...error, message: inWords(error['message']) } }),
  };
}

/** The SDK puts the issues of its schemas into messages, as JSON. */
function inWords(message: string): string {
  const start = message.indexOf('[');
  const issues = start < 0 ? undefined : listIn(message.slice(start));
  if (!issues) return message;
  const said = issues.filter(isJsonObject).map(({ path, message: fault }) => `${[path].flat().join('.')}: ${String(fault)}`);
  return `${message.slice(0, start).trim()} ${said.join('; ')}`.trim();
}

function messageIn(text: string): Message | undefined {
  const value = jsonIn(text);
  return isJsonObject(value) ? value : undefined;
}

function listIn(text: string): readonly unknown[] | undefined {
  const value = jsonIn(text);
  return Array.isArray(value) ? value : undefined;
}

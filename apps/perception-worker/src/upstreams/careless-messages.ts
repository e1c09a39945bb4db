// What stands around the answers of servers, in the form that the client of the SDK takes. It throws a whole message away for a null that
// a language writes by itself, and by then the tool has run.
import { isJsonObject, jsonIn } from '#lib/contracts';
import type { GuardedFetch } from './guarded-fetch.js';
import { speaksOfSession } from './session-words.js';

type Fields = Readonly<Record<string, unknown>>;

interface Asked {
  readonly id: string | number;
  readonly method: string;
}

const internalError = -32_603;
/** A refusal of these says what it is by its status: a credential, a session, a rate. */
const tellingStatuses: readonly number[] = [401, 403, 404, 410, 429];

/** Makes a fetch read the answers to messages of MCP as they are meant. */
export function mendingMessages(fetch: GuardedFetch): GuardedFetch {
  return async (url, init) => {
    const response = await fetch(url, init);
    const asked = init?.method === 'POST' ? askedIn(init.body) : null;
    if (!asked || !response.body || response.status === 202) return response;
    const { status, headers } = response;
    const type = headers.get('content-type') ?? '';
    if (/text\/event-stream/i.test(type))
      return status === 200 ? new Response(response.body.pipeThrough(mendedEvents(asked)), { status, headers }) : response;
    // Bounded by what gave it.
    const bytes = await response.arrayBuffer();
    const text = textOf(bytes, type);
    const given = jsonIn(text);
    const isRead = status < 300 && /^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type) && isWell(given, asked);
    const answer = isRead ? null : mendedAnswer(given ?? withoutNumbers(text), { asked, status });
    return answer === null
      ? new Response(bytes, { status, headers })
      : Response.json(answer, { headers: [...headers].filter(([name]) => name !== 'content-type') });
  };
}

/** Whether a message is as the standard has it: nearly all are, and some are large. */
function isWell(message: unknown, { id }: Asked): boolean {
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0' || message['id'] !== id) return false;
  const { result } = message;
  return (
    isJsonObject(result) &&
    !('error' in message) &&
    !('method' in message) &&
    (result['_meta'] === undefined || isJsonObject(result['_meta']))
  );
}

/** Null where there is none, or the status says more. */
function mendedAnswer(answer: unknown, { asked, status }: { readonly asked: Asked; readonly status: number }): unknown {
  const messages = (Array.isArray(answer) ? answer : [answer]).map((message: unknown) => mended(message, asked));
  if (messages.some((message) => message === null)) return null;
  if (status >= 300 && !messages.some((message) => isOwn(message, asked, status))) return null;
  return Array.isArray(answer) ? messages : messages[0];
}

/** Whether the server has looked at the message and answers it, in spite of a status that speaks of a fault. */
function isOwn(message: Fields | null, asked: Asked, status: number): boolean {
  if (message === null || asked.method !== 'tools/call' || tellingStatuses.includes(status) || message['id'] !== asked.id) return false;
  return !isJsonObject(message['error']) || !speaksOfSession(String(message['error']['message']));
}

/** A message of a server in the words of JSON-RPC; null for what is none. */
function mended(message: unknown, asked: Asked): Fields | null {
  if (!isJsonObject(message)) return null;
  const { method, params, id, result, error, ...others } = message;
  if (typeof method === 'string') return { ...message, jsonrpc: '2.0', ...(params === null && { params: undefined }) };
  const isCall = asked.method === 'tools/call';
  const isBare = result === undefined && error === undefined && isCall && ('content' in others || 'structuredContent' in others);
  if (!isBare && !('jsonrpc' in message || (id !== undefined && id !== null))) return null;
  const head = { jsonrpc: '2.0', id: isAbout(id, asked) ? asked.id : id };
  if (error !== undefined && error !== null) return { ...head, error: errorOf(error) };
  if (isBare) return { ...head, result: resultOf(others) };
  return 'result' in message ? { ...head, result: resultOf(result) } : null;
}

/** What answers a request names it, in some form, or nothing. */
function isAbout(id: unknown, asked: Asked): boolean {
  if (id === undefined || id === null) return true;
  return (typeof id === 'string' || typeof id === 'number') && String(id) === String(asked.id);
}

function errorOf(error: unknown): Fields {
  const { code, message, ...others } = isJsonObject(error) ? error : { message: typeof error === 'string' ? error : JSON.stringify(error) };
  return {
    ...others,
    code: Number.isSafeInteger(code) ? code : internalError,
    message: typeof message === 'string' ? message : JSON.stringify(message ?? error),
  };
}

function resultOf(result: unknown): Fields {
  if (!isJsonObject(result)) return { content: result };
  const { _meta, ...others } = result;
  return isJsonObject(_meta) ? result : others;
}

/** The events of a stream of answers, each as a message of its own name, and each whole event at its end too. */
function mendedEvents(asked: Asked): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  const written = (event: string): Uint8Array => Buffer.from(mendedEvent(event, asked));
  return new TransformStream({
    transform(chunk, controller) {
      const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) controller.enqueue(written(event));
    },
    flush(controller) {
      if (rest.trim() !== '') controller.enqueue(written(rest));
    },
  });
}

function mendedEvent(event: string, asked: Asked): string {
  const lines = event.split('\n');
  const data = lines.flatMap((line) => /^data: ?([^]*)$/.exec(line)?.[1] ?? []).join('\n');
  const given = jsonIn(data);
  const message = mended(given ?? withoutNumbers(data), asked);
  if (message === null || (isWell(given, asked) && !/^event:/m.test(event))) return `${event}\n\n`;
  return [...lines.filter((line) => /^(id|retry):/.test(line)), `data: ${JSON.stringify(message)}`, '', ''].join('\n');
}

/** What a text that is no JSON says if the numbers that JSON does not have are null: Python and others write them. */
function withoutNumbers(text: string): unknown {
  if (!/NaN|Infinity/.test(text)) return undefined;
  return jsonIn(text.replaceAll(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (part) => (part.startsWith('"') ? part : 'null')));
}

function textOf(bytes: ArrayBuffer, type: string): string {
  const charset = /charset=\s*"?([\w-]+)/i.exec(type)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function askedIn(body: unknown): Asked | null {
  const message = typeof body === 'string' ? jsonIn(body) : undefined;
  if (!isJsonObject(message)) return null;
  const { id, method } = message;
  return (typeof id === 'string' || typeof id === 'number') && typeof method === 'string' ? { id, method } : null;
}

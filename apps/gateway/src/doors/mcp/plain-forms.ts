// Calls that the SDK has served before, with all but their id and their arguments the same. It has looked at every header and field of them,
// so the next one is answered without it: a server, a request, a response and two streams for each call are most of what a call costs here.
import type { CallToolRequest, CallToolResult, InputRequiredResult, McpRequestContext, ServerContext } from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isJsonObject, jsonIn } from '#lib/contracts';

type Fields = Readonly<Record<string, unknown>>;

/** What a call reads of the message that it came in. */
export interface CallContext {
  readonly mcpReq: Pick<ServerContext['mcpReq'], 'id' | '_meta' | 'envelope' | 'signal' | 'notify' | 'requestState' | 'inputResponses'>;
}

/** A call that needs the SDK only if it has served none of the same words. */
export interface PlainCall {
  readonly id: string | number;
  readonly input: Fields;
  /** All that the SDK reads of its request, besides these two. */
  readonly words: string;
}

export type CallResult = CallToolResult | InputRequiredResult;

/** What the SDK made of a call, and what the call gave it. */
export interface ServedCall extends Pick<McpRequestContext, 'era'> {
  readonly params: CallToolRequest['params'];
  readonly given: Pick<CallContext['mcpReq'], '_meta' | 'envelope'>;
  readonly result: CallResult;
}

/** How the SDK serves the calls of the same words. */
export interface PlainForm extends Omit<ServedCall, 'result'> {
  /** Of the answer. */
  readonly headers: Readonly<Record<string, string>>;
  readonly isStream: boolean;
  /** Fields of a result, as the SDK orders them. */
  readonly fields: readonly string[];
  /** What it adds to a result, and to the `_meta` of one. */
  readonly added: Fields;
  readonly addedToMeta: Fields;
}

const mostForms = 2_000;
const mostCharacters = 4_096;
/** Headers that the SDK does not read. */
const unread = new Set(
  ['authorization', 'cookie', 'mcp-session-id', 'traceparent', 'tracestate', 'user-agent', 'x-request-id', 'x-trace-id'].concat(
    // These it is not given as they came, or are of the connection.
    ['connection', 'content-length', 'host'],
  ),
);
/** What differs in each message, and asks for more than an answer. */
const ofOneMessage = ['progressToken', 'traceparent'];
const eventAt = 'event: message\ndata: ';

/** The call in a body that `readMessages` has read; null where the SDK has more to do than to answer it. */
export function plainCallIn({ originalUrl, headers }: Pick<FastifyRequest, 'originalUrl' | 'headers'>, body: unknown): PlainCall | null {
  if (!isJsonObject(body) || body['method'] !== 'tools/call') return null;
  const { id, params, ...message } = body;
  if ((typeof id !== 'string' && typeof id !== 'number') || !isJsonObject(params)) return null;
  const { arguments: input, ...rest } = params;
  const { _meta: meta } = rest;
  if (!isJsonObject(input) || (isJsonObject(meta) && ofOneMessage.some((name) => name in meta))) return null;
  let words = originalUrl;
  for (const name in headers) if (!unread.has(name)) words += `\n${name}:${String(headers[name])}`;
  words += `\n${JSON.stringify([message, rest])}`;
  // A header that names an argument is compared with it.
  if (words.length > mostCharacters || words.includes('\nmcp-param-')) return null;
  return { id, input, words };
}

/** What the SDK is known to do. Those that were learnt first are forgotten first. */
export class PlainForms {
  readonly #forms = new Map<string, PlainForm>();

  of({ words }: PlainCall): PlainForm | undefined {
    return this.#forms.get(words);
  }

  /** Learns from an answer of the SDK, if another one in the same form would be the same to the byte. */
  learn({ words, id }: PlainCall, { result, ...served }: ServedCall, answer: { readonly headers: Headers; readonly text: string }): void {
    const { text } = answer;
    const isStream = text.startsWith(eventAt);
    const said = answerShape.safeParse(jsonIn(isStream ? text.slice(eventAt.length) : text)).data?.result;
    if (!said) return;
    const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'content-length'));
    const added = without(said, { ...result, _meta: null });
    const addedToMeta = without(metaOf(said), metaOf(result));
    const form = { ...served, headers, isStream, fields: Object.keys(said), added, addedToMeta };
    if (answerText(form, { id, result }) !== text) return;
    this.#forms.set(words, form);
    for (const oldest of this.#forms.keys()) {
      if (this.#forms.size <= mostForms) return;
      this.#forms.delete(oldest);
    }
  }
}

/** What the SDK would write; null for a result of another form. */
export function answerText(
  { fields, added, addedToMeta, isStream }: PlainForm,
  { id, result }: { readonly id: string | number; readonly result: CallResult },
): string | null {
  // What it checks more closely than that it is text.
  if ('resultType' in result || !contentShape.safeParse(result.content).success) return null;
  const all: Fields = { ...result, ...added };
  const meta = { ...metaOf(result), ...addedToMeta };
  const hasMeta = Object.keys(meta).length > 0;
  if (Object.keys(all).some((name) => all[name] !== undefined && !fields.includes(name))) return null;
  const written = fields.flatMap((name) => {
    const value = name === '_meta' ? (hasMeta ? meta : undefined) : all[name];
    return value === undefined ? [] : [`${JSON.stringify(name)}:${JSON.stringify(value)}`];
  });
  const message = `{"result":{${written.join()}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`;
  return isStream ? `${eventAt}${message}\n\n` : message;
}

const answerShape = z.object({ result: z.record(z.string(), z.unknown()) });
const contentShape = z.array(z.strictObject({ type: z.literal('text'), text: z.string() }));

function metaOf(result: Fields): Fields {
  const { _meta: meta } = result;
  return isJsonObject(meta) ? meta : {};
}

function without(all: Fields, known: Fields): Fields {
  return Object.fromEntries(Object.entries(all).filter(([name]) => !(name in known)));
}

// Answers of servers in a form that the client of the SDK takes. It checks an answer as a whole and throws it away for one careless field:
// a list for one tool of a hundred, a result after the call has run.
import { isJsonObject } from '#lib/contracts';
import type { MeasuredUpstream } from './measured-upstream.js';
import { PROTOCOL_VERSION_META_KEY, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';

/** Where the answer stands as it came. */
const asItCame = 'invoq/as-it-came';

type Result = Readonly<Record<string, unknown>>;
interface Asked {
  readonly method: string;
  /** Of the first revision without sessions, or later: it asks for more fields. */
  readonly isModern: boolean;
}

/** Makes a transport mend what it receives. The part that its reader checks itself is carried past the SDK, in `_meta`. */
export function mendAnswers<Kind extends Transport>(transport: Kind, measured: Pick<MeasuredUpstream, 'sends' | 'receives'>): Kind {
  const asked = new Map<string, Asked>();
  let take: Transport['onmessage'];
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    if ('method' in message && 'id' in message) {
      const isModern = message.params?._meta?.[PROTOCOL_VERSION_META_KEY] !== undefined;
      asked.set(String(message.id), { method: message.method, isModern });
    }
    const sending = measured.sends(message, options?.requestSignal);
    try {
      await send(message, options);
      sending?.sent();
    } catch (error) {
      sending?.failed();
      throw error;
    }
  };
  Object.defineProperty(transport, 'onmessage', {
    get: (): Transport['onmessage'] =>
      take &&
      ((message, extra) => {
        measured.receives(message);
        take?.(mended(message, asked), extra);
      }),
    set: (taker: Transport['onmessage']) => {
      take = taker;
    },
  });
  return transport;
}

/** What the server answered, where `mendAnswers` carried it past the SDK. */
export function answerAsItCame({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): Result {
  const answer = _meta?.[asItCame];
  return isJsonObject(answer) ? answer : {};
}

function mended<Message extends JSONRPCMessage>(message: Message, asked: Map<string, Asked>): Message {
  if ('method' in message || !('id' in message)) return message;
  // The SDK takes a number that is written as text, too.
  const id = String(message.id);
  const request = asked.get(id);
  asked.delete(id);
  if (!request || !('result' in message) || !isJsonObject(message.result)) return message;
  return { ...message, result: { ...mendedResult(request, message.result), ...(request.isModern && modernFields(message.result)) } };
}

function mendedResult({ method }: Asked, result: Result): Result {
  if (method === 'initialize') return { ...result, ...greetingOf(result) };
  const empty = emptyResults.get(method);
  if (!empty || result['resultType'] === 'input_required') return result;
  const { nextCursor, _meta: given, structuredContent: _structured, isError: _isError, ...rest } = result;
  return {
    ...rest,
    ...empty,
    ...(typeof nextCursor === 'string' && nextCursor !== '' && { nextCursor }),
    _meta: { ...(isJsonObject(given) && given), [asItCame]: result },
  };
}

/** What the client of the SDK gets, by method, where the result is read as it came. */
const emptyResults: ReadonlyMap<string, Result> = new Map<string, Result>([
  ['tools/list', { tools: [] }],
  ['tools/call', { content: [] }],
  ['resources/list', { resources: [] }],
  ['resources/templates/list', { resourceTemplates: [] }],
  ['prompts/list', { prompts: [] }],
  ['resources/read', { contents: [] }],
  ['prompts/get', { messages: [] }],
  ['completion/complete', { completion: { values: [] } }],
]);

/** What a server must say of itself at first, and many do not. */
function greetingOf({ capabilities, serverInfo, instructions }: Result): Result {
  const said = isJsonObject(serverInfo) ? serverInfo : {};
  const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
  return {
    capabilities: isJsonObject(capabilities) ? capabilitiesOf(capabilities) : {},
    serverInfo: { name: text(said['name'], 'server'), version: text(said['version'], '0') },
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

function modernFields({ resultType, ttlMs, cacheScope }: Result): Result {
  return {
    resultType: typeof resultType === 'string' ? resultType : 'complete',
    ttlMs: typeof ttlMs === 'number' && ttlMs >= 0 ? Math.floor(ttlMs) : 0,
    cacheScope: cacheScope === 'public' ? 'public' : 'private',
  };
}

/** Some servers say `true` or null where the protocol has an object. */
function capabilitiesOf(given: Result): Result {
  const named = Object.entries(given).filter(([, part]) => part !== null && part !== false);
  return Object.fromEntries(named.map(([name, part]) => [name, isJsonObject(part) ? withoutNulls(part) : {}]));
}

function withoutNulls(value: Result): Result {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}

import type { McpRequestContext } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RepeatedForm } from '../../calls/repeatable-call.js';
import { disconnected } from '../../http/query.js';
import { takeOver } from '../../http/take-over.js';
import { answerText, PlainForms, type CallResult, type PlainCall, type PlainForm, type ServedCall } from './plain-forms.js';
import { resultIn } from './tools.js';
import { toolsFor, type McpServerParts, type McpService, type ToolSurface } from './server.js';

/** A call that takes longer has a stream of the SDK, on which its client sees that it goes on. */
const soonMs = 1_000;

/** A call that was begun, and the SDK serves the rest of. */
export interface ServedPlain {
  readonly plain: PlainCall;
  begun: Promise<CallResult> | null;
  served: ServedCall | null;
}

/** Answers calls of the words that the SDK has served before, and learns from it how. */
export class PlainCalls {
  readonly #parts: Omit<McpServerParts, 'notify'>;
  readonly #forms = new PlainForms();

  constructor(parts: Omit<McpServerParts, 'notify'>) {
    this.#parts = parts;
  }

  /** @param said what its span says of it @returns what is left to the SDK; null where the call is answered */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { plain, said, ...service }: Omit<McpService, 'era'> & { readonly plain: PlainCall; readonly said: Readonly<Record<string, string>> },
  ): Promise<ServedPlain | null> {
    const form = this.#forms.of(plain);
    if (!form) return { plain, begun: null, served: null };
    const { tools } = toolsFor(this.#parts, request, { ...service, era: form.era });
    const begun = begin(tools, { plain, form, signal: disconnected(reply) });
    const result = await soon(begun);
    // Its credential has ended meanwhile.
    if (reply.sent) return null;
    const text = result && answerText(form, { id: plain.id, result });
    if (text === null) return { plain, begun, served: null };
    const { cached } = tools;
    request.facts.repeatable =
      cached &&
      cached.call.repeatable(
        cached.input,
        repeatedForm(form, { id: plain.id, view: service.view, attributes: said, measured: request.facts.measured }),
      );
    takeOver(reply, form.headers).end(text);
    return null;
  }

  /** What answers `tools/call` of a server of the SDK. */
  handlerOf(asked: ServedPlain | null, era: McpRequestContext['era'], tools: ToolSurface): ToolSurface['call'] {
    if (!asked) return (message, context) => tools.call(message, context);
    return async ({ params }, context) => {
      const { begun } = asked;
      // When its client has been asked for something, the answer comes in another call.
      asked.begun = null;
      const result = await (begun ?? tools.call({ params }, context));
      const { _meta, envelope } = context.mcpReq;
      asked.served = { era, params, given: { ...(_meta && { _meta }), ...(envelope && { envelope }) }, result };
      return result;
    };
  }

  /** @param answer of the SDK, to be read to its end here */
  async learn(asked: ServedPlain, answer: Response): Promise<void> {
    // One that breaks off teaches nothing.
    const text = await answer.text().catch(() => null);
    if (asked.served && text !== null) this.#forms.learn(asked.plain, asked.served, { headers: answer.headers, text });
  }
}

async function begin(
  tools: ToolSurface,
  { plain, form, signal }: Pick<ServedPlain, 'plain'> & { readonly form: PlainForm; readonly signal: AbortSignal },
): Promise<CallResult> {
  // It asks for no progress, and answers nothing.
  const rest = { notify: async () => undefined, requestState: () => undefined };
  return tools.call({ params: { ...form.params, arguments: plain.input } }, { mcpReq: { id: plain.id, ...form.given, signal, ...rest } });
}

/** How such a call is answered from the cache when it comes again. It keeps nothing of this request but its view. */
function repeatedForm(
  form: PlainForm,
  { id, view, ...told }: Pick<PlainCall, 'id'> & Pick<McpService, 'view'> & Pick<RepeatedForm, 'attributes' | 'measured'>,
): RepeatedForm {
  return {
    headers: form.headers,
    ...told,
    id,
    write: (answer, request) => {
      const text = answerText(form, { id: request.id ?? id, result: resultIn(view, answer) });
      return text === null ? null : { text };
    },
  };
}

/** Null where the result does not come soon, or none comes: the SDK has the streams and the words for that. */
async function soon(begun: Promise<CallResult>): Promise<CallResult | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(() => late.resolve(null), soonMs);
  try {
    return await Promise.race([begun, late.promise]);
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

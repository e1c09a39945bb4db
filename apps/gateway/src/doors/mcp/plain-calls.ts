import type { IncomingHttpHeaders } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import type { McpRequestContext } from '@modelcontextprotocol/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BegunCall, CallOfBody, CallOfHead, PlainAnswer, RequestFacts } from '../../calls/call-facts.js';
import type { RepeatedForm } from '../../calls/repeatable-call.js';
import { disconnected } from '../../http/query.js';
import { takeOver } from '../../http/take-over.js';
import { BegunBefore } from '../begun-before.js';
import { answerText, PlainForms, type CallResult, type PlainCall, type PlainForm, type ServedCall } from './plain-forms.js';
import { resultIn, type McpRequest } from './tools.js';
import { toolsFor, type McpServerParts, type McpService, type ToolSurface } from './server.js';

/** A call that takes longer has a stream of the SDK, on which its client sees that it goes on. */
const soonMs = 1_000;

/** A call that was begun, and the SDK serves the rest of. */
export interface ServedPlain {
  readonly plain: PlainCall;
  begun: Promise<CallResult> | null;
  served: ServedCall | null;
}

/** A call as its message was read. */
interface ReadCall {
  readonly plain: PlainCall;
  /** What the span of its request says of it. */
  readonly said: Readonly<Record<string, string>>;
}

/** One whose request nobody has looked at. */
export interface NewCall extends ReadCall {
  /** Says it, and has the request measured. */
  readonly note: (facts: RequestFacts) => void;
}

type ReadAgain = (body: unknown, headers: IncomingHttpHeaders) => NewCall | null;

/** How all calls of a head are served. */
type Service = Omit<McpService, 'era'>;

interface OfHead extends Pick<McpRequest, 'query'>, Pick<PlainForm, 'headers'> {
  readonly service: Service;
}

interface Begun {
  readonly answer: Promise<PlainAnswer | null>;
  readonly form: PlainForm;
  /** What is left to the SDK, where the answer is no plain one. */
  readonly rest: ServedPlain;
}

/** Answers calls of the words that the SDK has served before, and learns from it how. */
export class PlainCalls {
  readonly #parts: Omit<McpServerParts, 'notify'>;
  readonly #forms = new PlainForms();
  readonly #begunBefore = new BegunBefore<Begun>();

  constructor(parts: Omit<McpServerParts, 'notify'>) {
    this.#parts = parts;
  }

  /**
   * @param readAgain reads the call in another body that comes with the same head; null where each has to be looked at
   * @returns what is left to the SDK; null where the call is answered
   */
  async answer(
    request: FastifyRequest,
    reply: FastifyReply,
    { call, readAgain, ...service }: Service & { readonly call: ReadCall; readonly readAgain: ReadAgain | null },
  ): Promise<ServedPlain | null> {
    const begun = await (this.#begunBefore.take(request.facts) ?? this.#beginKnown(request, reply, { call, service }));
    if (!begun) return { plain: call.plain, begun: null, served: null };
    const answer = await begun.answer;
    // Its credential has ended meanwhile.
    if (reply.sent) return null;
    if (!answer) return begun.rest;
    const { facts, query } = request;
    const { headers } = begun.form;
    facts.repeatable = answer.repeatable;
    if (readAgain) facts.ofHead = this.#ofHead(readAgain, { headers, query, service });
    takeOver(reply, headers).end(answer.text);
    return null;
  }

  #beginKnown(
    request: FastifyRequest,
    reply: FastifyReply,
    { call, service }: { readonly call: ReadCall; readonly service: Service },
  ): Begun | null {
    const form = this.#forms.of(call.plain);
    return form ? this.#begin(request, { call, form, service }, disconnected(reply)) : null;
  }

  /** It keeps nothing of its request but its view and its query. */
  #ofHead(readAgain: ReadAgain, head: OfHead): CallOfHead {
    return { hasIds: true, headers: head.headers, callIn: (body, headers) => this.#callOf(readAgain(body, headers), head) };
  }

  /** Null where the SDK has served no call in the same words, or answers it with other headers. */
  #callOf(call: NewCall | null, { headers, query, service }: OfHead): CallOfBody | null {
    const form = call && this.#forms.of(call.plain);
    if (!form || !isDeepStrictEqual(form.headers, headers)) return null;
    return {
      begin: (request, watch) => {
        call.note(request.facts);
        return this.#begin({ ...request, query }, { call, form, service }, watch());
      },
    };
  }

  #begin(
    request: McpRequest,
    { call, form, service }: { readonly call: ReadCall; readonly form: PlainForm; readonly service: Service },
    signal: AbortSignal,
  ): Begun & BegunCall {
    const { plain, said } = call;
    const { tools } = toolsFor(this.#parts, request, { ...service, era: form.era });
    const begun = begin(tools, { plain, form, signal });
    const rest = { plain, begun, served: null };
    const plainAnswer = (result: CallResult | null): PlainAnswer | null => {
      const text = result && answerText(form, { id: plain.id, result });
      if (text === null) return null;
      const { cached } = tools;
      const told = { id: plain.id, view: service.view, attributes: said, measured: request.facts.measured };
      return { text, repeatable: cached && cached.call.repeatable(cached.input, repeatedForm(form, told)) };
    };
    const here = { form, answer: soon(begun).then(plainAnswer), rest };
    // Its tools follow it until it ends.
    return { ...here, ...this.#begunBefore.hold(request.facts, Promise.resolve(here), () => undefined) };
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

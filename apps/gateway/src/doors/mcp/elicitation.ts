// What a tool asks whoever made a call: their client of MCP puts it to them while the call is open, or answers for them what an outside server
// asks of clients (elicitation, sampling, roots).
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  specTypeSchemas,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequest,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import {
  askOf,
  hostOfAddress,
  needsModelTools,
  principal,
  relayedAsks,
  type Caller,
  type InputRequest as ShownRequest,
  type RelayedAsk,
  type RelayedKind,
  type RelayedRequest,
} from '#lib/contracts';
import { callerOf } from '../../http/caller-of.js';
import type { Resting } from '../../calls/call.js';
import type { AskedOfCaller } from '../../inputs/asked-of-caller.js';
import type { InputRow } from '../../calls/waiting/input-row.js';
import type { CallContext } from './plain-forms.js';
import { refusalIn, relayedMark } from './relayed-refusal.js';
import type { Askable } from './session-id.js';

/** The name of our one request among those of a result. */
const answer = 'answer';
const said = z.looseObject({ action: z.enum(['accept', 'decline', 'cancel']), content: z.record(z.string(), z.unknown()).optional() });
const answers = z.looseObject({ [answer]: said });
const opened = z.looseObject({ [answer]: z.looseObject({ action: z.literal('accept') }) });
const relayedAnswers = z.looseObject({ [answer]: z.record(z.string(), z.unknown()) });
const declared = z.looseObject({
  [CLIENT_CAPABILITIES_META_KEY]: z.looseObject({
    elicitation: z.looseObject({ form: z.unknown(), url: z.unknown() }).partial().optional(),
    sampling: z.looseObject({ tools: z.unknown() }).partial().optional(),
    roots: z.looseObject({}).optional(),
  }),
});
type Declared = z.output<typeof declared>[typeof CLIENT_CAPABILITIES_META_KEY];
/** How long somebody has to connect an account before their client is asked again, in ms, and how often it is looked. */
const connectingMs = 50_000;
const connectingLookMs = 500;
/** What a field of a form may say (MCP 2025-11-25, PrimitiveSchemaDefinition). */
const fieldKeywords = new Set(
  'type title description default minLength maxLength format minimum maximum enum enumNames oneOf anyOf const items minItems maxItems'.split(
    ' ',
  ),
);
const requestedSchema = z.object({
  type: z.literal('object'),
  properties: z.record(z.string(), z.record(z.string(), z.unknown())).default({}),
  required: z.array(z.string()).optional(),
});

/** A call that was asked about, and what was wrong with the answer. */
interface Answered {
  readonly jobId: string;
  readonly fault: string | null;
  /** The input request whose address its user has opened; null where it was another, or they have not. */
  readonly opened: string | null;
}

/** Puts what a call rests for to the client of the call. The state that goes round with it names the input request, which its caller alone can answer. */
export class Elicitation {
  /** @param askable what a client of the older revisions said that it can be asked for */
  constructor(
    private readonly requests: AskedOfCaller,
    private readonly request: Pick<FastifyRequest, 'facts'>,
    private readonly askable: Askable | null,
  ) {}

  /** @returns null where there is nothing to ask, or the client cannot be asked; `answered` where that was done, so the rest is about to end */
  async asked({ rest }: Resting, context: CallContext, fault: string | null = null): Promise<InputRequiredResult | 'answered' | null> {
    if (rest.inputRequest === undefined) return null;
    const shown = await this.requests.shown(this.#caller, rest.inputRequest);
    if (!shown?.mayAccept) return null;
    const { id, kind, state, message, schema, url, request } = shown.request;
    const asks = request ? askOf(request) : kind === 'connection' ? 'url' : 'form';
    if (!this.#canBeAsked(context, asks)) return null;
    if (request && needsModelTools(request) && this.#declaredBy(context).sampling?.tools === undefined) return null;
    if (state !== 'open') return 'answered';
    if (request) return inputRequired({ inputRequests: { [answer]: relayed(request, { message, id }) }, requestState: id });
    if (asks === 'url' && !url) return null;
    if (url)
      return inputRequired({
        inputRequests: { [answer]: { method: 'elicitation/create', params: { mode: 'url', message, url, elicitationId: id } } },
        requestState: id,
      });
    return inputRequired({
      inputRequests: {
        [answer]: {
          method: 'elicitation/create',
          params: { mode: 'form', message: fault === null ? message : `${message} (${fault})`, requestedSchema: formOf(schema) },
        },
      },
      requestState: id,
    });
  }

  /** What the client of this request can be asked besides forms. */
  clientAnswers(context: CallContext): { readonly clientAnswers: readonly RelayedAsk[]; readonly clientModelTools: boolean } {
    return {
      clientAnswers: relayedAsks.filter((ask) => this.#canBeAsked(context, ask)),
      clientModelTools: this.#declaredBy(context).sampling?.tools !== undefined,
    };
  }

  /** What its user is to do at an address that a call rests for, in words for a client that cannot be asked; null for every other rest. */
  async addressOf({ rest }: Resting): Promise<string | null> {
    if (rest.inputRequest === undefined) return null;
    const shown = await this.requests.shown(this.#caller, rest.inputRequest);
    if (!shown) return null;
    const { id, kind, url, message, request } = shown.request;
    if (kind === 'connection' && url) return `It goes on once its user has opened this address and connected their account: ${url}`;
    if (request?.method !== 'elicitation/create') return null;
    return `${message}. It is a server outside that asks: open nothing yourself. Show its user the whole address, ${request.params.url}, whose host is ${hostOfAddress(request.params.url)}. They look whether they trust it, open it themselves, and then accept input request ${id}.`;
  }

  /**
   * Takes what the client answered. Throws a ProtocolError for a state that is none of this caller's: to begin a call instead would do
   * twice what an earlier one has done.
   * @returns null where it was asked nothing
   */
  async answered({ mcpReq }: CallContext): Promise<Answered | null> {
    const state = mcpReq.requestState();
    if (state === undefined) return null;
    const row = typeof state === 'string' ? await this.requests.find(this.#caller, state) : null;
    if (!row || row.requestedBy !== principal(this.#caller))
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'This requestState is of no call that waits; call the tool without it');
    const fault = await this.#take(row, mcpReq.inputResponses, mcpReq.signal);
    const isOpened = opened.safeParse(mcpReq.inputResponses).success && (await this.#hasAddress(row));
    return { jobId: row.jobId, fault, opened: isOpened ? row.id : null };
  }

  /** Tells a client of the older revisions, which alone have such a message, that what its user did at an address is done. */
  async over(opened: string, result: object, { mcpReq }: CallContext): Promise<void> {
    const isAskedAgain = 'requestState' in result && result.requestState === opened;
    if (isAskedAgain || this.askable?.elicitation?.url === undefined) return;
    await mcpReq.notify({ method: 'notifications/elicitation/complete', params: { elicitationId: opened } });
  }

  async #hasAddress({ id, kind }: InputRow): Promise<boolean> {
    if (kind === 'connection') return true;
    return (await this.requests.shown(this.#caller, id))?.request.request?.method === 'elicitation/create';
  }

  /** The same for a task, which names what it rests for itself. Throws a ProtocolError for an answer that does not fit. */
  async answer({ rest }: Resting, responses: unknown, signal: AbortSignal): Promise<void> {
    const row = rest.inputRequest === undefined ? null : await this.requests.find(this.#caller, rest.inputRequest);
    const fault = row && (await this.#take(row, responses, signal));
    if (fault !== null) throw new ProtocolError(ProtocolErrorCode.InvalidParams, fault);
  }

  /** @returns what is wrong with the answer, for the person who gave it */
  async #take(row: InputRow, responses: unknown, signal: AbortSignal): Promise<string | null> {
    if (row.request !== null) return this.#takeRelayed(row, responses);
    const given = answers.safeParse(responses);
    if (!given.success) return 'no answer came';
    const { action, content } = given.data[answer];
    // Its user has opened the address. The account itself is the answer.
    if (row.kind === 'connection' && action === 'accept') return this.#connecting(row, signal);
    const refusal = await this.requests.answer(this.#caller, row.id, {
      action,
      ...(row.kind === 'question' && action === 'accept' && { content }),
    });
    // What they may not answer, they are not asked again.
    return refusal?.error.family === 'INVALID_PARAMS' ? refusal.message : null;
  }

  /** A client that answers by itself would answer the same again: its server is told instead that there is no answer. */
  async #takeRelayed(row: InputRow, responses: unknown): Promise<string | null> {
    const given = relayedAnswers.safeParse(responses);
    if (!given.success) return 'no answer came';
    const asked = this.requests;
    const { id } = row;
    const content = given.data[answer];
    const said = refusalIn(content);
    const decision = (await this.#hasAddress(row))
      ? { action: answers.safeParse(responses).data?.[answer].action ?? 'cancel' }
      : { action: 'accept' as const, content };
    const refusal = said === null ? await asked.answer(this.#caller, id, decision) : null;
    const reason = said ?? refusal?.message;
    if (reason !== undefined) await asked.answer(this.#caller, id, { action: 'decline', reason: reason.slice(0, 1_000) });
    return null;
  }

  /** Waits a while: a client that is asked again at once would open the address again. */
  async #connecting({ id }: InputRow, signal: AbortSignal): Promise<null> {
    const until = performance.now() + connectingMs;
    while (performance.now() < until && (await this.requests.find(this.#caller, id))?.state === 'open')
      await setTimeout(connectingLookMs, undefined, { signal });
    return null;
  }

  get #caller(): Caller {
    return callerOf(this.request);
  }

  #declaredBy({ mcpReq }: CallContext): Declared {
    return declared.safeParse(mcpReq.envelope).data?.[CLIENT_CAPABILITIES_META_KEY] ?? this.askable ?? {};
  }

  #canBeAsked(context: CallContext, asks: 'form' | RelayedKind): boolean {
    const said = this.#declaredBy(context);
    if (asks === 'sampling' || asks === 'roots') return said[asks] !== undefined;
    const { elicitation } = said;
    if (asks === 'url') return elicitation?.url !== undefined;
    // Who names no mode can show forms.
    return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  }
}

/** The request as its server made it, by which an answer that is none is known as ours. */
function relayed(request: RelayedRequest, { message, id }: Pick<ShownRequest, 'message' | 'id'>): InputRequest {
  const _meta = { [relayedMark]: true };
  if (request.method === 'elicitation/create')
    return { method: request.method, params: { mode: 'url', message, url: request.params.url, elicitationId: id, _meta } };
  // Absent fields are left out, as the types of the SDK have them.
  const params = specTypeSchemas.CreateMessageRequestParams['~standard'].validate(JSON.parse(JSON.stringify(request.params)));
  if (request.method === 'roots/list' || !('value' in params)) return { method: 'roots/list', params: { _meta } };
  return { method: request.method, params: { ...params.value, _meta } };
}

function formOf(schema: Record<string, unknown> | null) {
  const { properties, ...form } = requestedSchema.parse(schema ?? { type: 'object' });
  const fields = Object.entries(properties).map(([name, field]) => [
    name,
    Object.fromEntries(Object.entries(field).filter(([keyword]) => fieldKeywords.has(keyword))),
  ]);
  return { ...form, properties: JSON.parse(JSON.stringify(Object.fromEntries(fields))) };
}

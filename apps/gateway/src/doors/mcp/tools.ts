import { setTimeout } from 'node:timers/promises';
import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type Tool,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { Refusal, textIn, type ToolContract } from '#lib/contracts';
import { TimeLimit } from '#lib/handlers';
import { callerOf } from '../../http/caller-of.js';
import { toRefusal } from '../../calls/to-refusal.js';
import type { Answer } from '../../calls/answer.js';
import type { CachedCall, Resting } from '../../calls/call.js';
import type { Calls } from '../../calls/calls.js';
import type { JobCall } from '../../calls/job-call.js';
import type { CallOptions } from '../../calls/options.js';
import type { ToolDirectory } from '../../calls/tool-directory.js';
import type { ToolFinder } from '../tool-finder.js';
import { acceptedOf } from '../accepted.js';
import { parametersInBody } from '../../calls/call-body.js';
import { callBasics, sessionOf } from '../../http/call-headers.js';
import { optionsOf } from '../call-request.js';
import type { Cancellations } from './cancellations.js';
import type { Elicitation } from './elicitation.js';
import type { CallContext } from './plain-forms.js';
import { ProgressReport } from './progress.js';
import { takesTasks, type Tasks } from './tasks.js';
import { foundDefinition, isSearch, isUnreadable, noSuchTool, searchAsked, searchResult, unreadable } from './tool-search.js';
import { listStandIn } from './tool-lists.js';
import type { McpView } from './view.js';

export interface McpToolsParts {
  readonly tools: ToolDirectory;
  readonly calls: Calls;
  readonly finder: ToolFinder;
  readonly tasks: Tasks;
  readonly cancellations: Cancellations;
  readonly elicitation: Elicitation;
}

/** A call of a client that takes tasks becomes a task after this time. A streaming tool becomes one at once. */
const taskAfterMs = 1_000;
/** After an answer, how long until it is looked whether its call goes on. */
const wakesMs = 100;
/** Where a call of this protocol has its options. They are no parameters, so that no tool's schema has to allow them. */
const optionsInMeta = 'invoq/options';
/** Links go to a model, bytes do not. */
const withoutFiles = { inline_files: false } as const;

/** What the tools read of the request of a message. */
export type McpRequest = Pick<FastifyRequest, 'headers' | 'facts' | 'query'>;

/** The tools of the catalog as the protocol has them, for one request. Every call takes the pipeline like any other. */
export class McpTools {
  readonly #parts: McpToolsParts;
  readonly #request: McpRequest;
  readonly #view: McpView;
  /** The call that the cache has answered, and its parameters. */
  cached: { readonly call: CachedCall; readonly input: unknown } | null = null;

  constructor(parts: McpToolsParts, request: McpRequest, view: McpView) {
    this.#parts = parts;
    this.#request = request;
    this.#view = view;
  }

  get #tools(): ToolDirectory {
    return this.#parts.tools.of(callerOf(this.#request));
  }

  list(): Tool[] {
    return [listStandIn];
  }

  /** A refusal or failure of the tool is a result with `isError`; only an unknown tool is a fault of the protocol. */
  async call(message: Pick<CallToolRequest, 'params'>, context: CallContext): Promise<CallToolResult | InputRequiredResult> {
    const result = await this.#call(message, context);
    if (result.isError === true) this.#request.facts.measured?.toolFailed();
    return result;
  }

  async #call({ params }: Pick<CallToolRequest, 'params'>, context: CallContext): Promise<CallToolResult | InputRequiredResult> {
    const { calls, elicitation } = this.#parts;
    const answered = await elicitation.answered(context);
    if (answered) {
      const result = await this.#goOnWith(answered.jobId, context, answered.fault);
      if (answered.opened !== null) await elicitation.over(answered.opened, result, context);
      return result;
    }
    const { input, debug, traceId } = parametersInBody(params.arguments ?? {});
    const facts = { ...this.#request.facts, traceId: traceId ?? this.#request.facts.traceId };
    const asTask = takesTasks(context);
    const tool = params.name;
    if (isSearch(this.#view, tool)) return await this.#search(input);
    if (isUnreadable(this.#view, tool)) return unreadable;
    const contract = this.#tools.named(tool);
    if (contract && !this.#view.shows(contract)) {
      facts.taken.chargeRefusal({ family: 'TOOL_NOT_FOUND' });
      throw this.#unknown(`Tool '${contract.name}' is not among those that this address serves`);
    }
    let started: JobCall | CachedCall;
    let options: CallOptions | null = null;
    try {
      options = optionsOf(this.#request, { debug, options: params._meta?.[optionsInMeta] });
      // A task is read later, so its deadline is 24 h.
      started = await calls.start({
        ...callBasics(this.#request),
        tool,
        input: () => input,
        facts,
        options,
        ...elicitation.clientAnswers(context),
        waits: !asTask,
      });
    } catch (thrown) {
      const { error, message } = toRefusal(thrown);
      if (error.family === 'TOOL_NOT_FOUND') {
        facts.taken.chargeRefusal(error);
        if (this.#view.searches) return noSuchTool(textIn(this.#view.language, message));
        throw this.#unknown(message, error.extra);
      }
      return resultIn(this.#view, await calls.refused(thrown, { tool, facts, options }));
    }
    using call = started;
    if (call.jobId === null) {
      this.cached = { call, input };
      return resultIn(this.#view, await call.answer(null, withoutFiles));
    }
    if (!asTask) return await this.#goOn(call, context);
    const answer = await soon(call, this.#tools.named(tool)?.streaming ?? false, context);
    return answer && !('rest' in answer) ? resultIn(this.#view, answer) : await this.#parts.tasks.created(call, this.#view.language);
  }

  #unknown(message: string, data?: unknown): ProtocolError {
    return new ProtocolError(ProtocolErrorCode.InvalidParams, textIn(this.#view.language, message), data);
  }

  /** What the caller may call of what this view has, by words. */
  async #search(given: unknown): Promise<CallToolResult> {
    try {
      const view = this.#view;
      const definition = (contract: ToolContract): object => foundDefinition(contract, view.definition(contract).inputSchema);
      const asker = { caller: callerOf(this.#request), shows: (contract: ToolContract) => view.shows(contract), definition };
      const found = await this.#parts.finder.find(this.#tools, searchAsked(given), asker);
      return searchResult(found.map(({ contract }) => definition(contract)));
    } catch (thrown) {
      return noSuchTool(textIn(this.#view.language, toRefusal(thrown).message));
    }
  }

  /** Until the call ends, or rests; then its client is asked, where it can be. */
  async #goOn(call: JobCall, context: CallContext, fault: string | null = null): Promise<CallToolResult | InputRequiredResult> {
    const awaited = await this.#awaited(call, context);
    if (!('rest' in awaited)) return resultIn(this.#view, awaited);
    const asked = await this.#parts.elicitation.asked(awaited, context, fault);
    if (asked !== 'answered') return asked ?? restingResult(call, awaited, await this.#parts.elicitation.addressOf(awaited));
    await setTimeout(wakesMs, undefined, { signal: context.mcpReq.signal });
    return this.#goOnWith(call.jobId, context, null);
  }

  async #goOnWith(jobId: string, context: CallContext, fault: string | null): Promise<CallToolResult | InputRequiredResult> {
    using call = await this.#parts.calls.find(callerOf(this.#request), jobId, sessionOf(this.#request));
    return await this.#goOn(call, context, fault);
  }

  async #awaited(call: JobCall, context: CallContext): Promise<Answer | Resting> {
    this.#parts.cancellations.note(this.#request, context.mcpReq.id, call.jobId);
    await using _report = new ProgressReport(call, context, this.#view.language);
    const answer = await call.answerOrRest(context.mcpReq.signal, withoutFiles);
    if (answer) return answer;
    const mayReturn = this.#request.headers['idempotency-key'] !== undefined;
    if (!mayReturn) await call.cancel('The caller went away', { unlessJoined: true });
    throw new Refusal('CANCELLED', 'The caller went away');
  }
}

export function resultIn(view: McpView, answer: Answer): CallToolResult {
  const { content, structuredContent, ...rest } = view.result(answer);
  return { content: [...content], ...(structuredContent && { structuredContent: { ...structuredContent } }), ...rest };
}

/** The answer of a call that ends soon; null for one that goes on as a task. */
async function soon(call: JobCall, isStreaming: boolean, { mcpReq }: CallContext): Promise<Answer | Resting | null> {
  if (isStreaming) return null;
  using limit = new TimeLimit(taskAfterMs, mcpReq.signal);
  // Awaited here: the limit ends with this block.
  return await call.answerOrRest(limit.signal, withoutFiles);
}

/**
 * What a client gets that can read no task. A result without the structure that the tool promises is legal for errors alone, and clients
 * refuse it otherwise.
 */
function restingResult(call: JobCall, resting: Resting, address: string | null): CallToolResult {
  const accepted = acceptedOf(call, resting);
  const text = `Not an error: the call is accepted and has no result yet. It rests (${accepted.rest?.reason}) until ${accepted.rest?.until}. ${address === null ? '' : `${address} `}${JSON.stringify(accepted)}`;
  return { isError: true, content: [{ type: 'text', text }] };
}

import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolRequest,
  type CallToolResult,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { FastifyRequest } from 'fastify';
import { Refusal, toMcp, toMcpResult, type ToolContract } from '#lib/contracts';
import type { Followers } from '#lib/transport';
import { toRefusal } from '../../http/problem.js';
import { envelopeOf, type Answer, type Answers } from '../../invocations/answers.js';
import type { Finishing } from '../../invocations/finishing.js';
import type { Invocation, Invoker } from '../../invocations/invoker.js';
import type { CallOptions } from '../../invocations/options.js';
import { callBasics, optionsOf, parametersInBody } from '../call-request.js';
import type { Cancellations } from './cancellations.js';
import { ProgressReport } from './progress.js';
import { takesTasks, type Tasks } from './tasks.js';

export interface McpToolsParts {
  readonly invoker: Invoker;
  readonly answers: Answers;
  readonly finishing: Finishing;
  readonly followers: Followers;
  readonly tasks: Tasks;
  readonly cancellations: Cancellations;
}

type Accepted = Extract<Invocation, { kind: 'accepted' }>;

/** A call of a client that takes tasks becomes one when it is not done by then; long work becomes one at once. */
const taskAfterMs = 1_000;
/** Where a call of this protocol has its options: no parameter, so no tool's schema knows of them. */
const optionsInMeta = 'invoq/options';
const written = new WeakMap<ToolContract, Tool>();

/** The tools of the catalog as the protocol has them, for one request. Every call takes the pipeline like any other. */
export class McpTools {
  readonly #parts: McpToolsParts;
  readonly #request: FastifyRequest;

  constructor(parts: McpToolsParts, request: FastifyRequest) {
    this.#parts = parts;
    this.#request = request;
  }

  /** In one page, sorted by name. */
  list(): Tool[] {
    return this.#parts.invoker.offered.map((contract) => {
      const tool = written.get(contract) ?? toTool(contract);
      written.set(contract, tool);
      return tool;
    });
  }

  /** A refusal or failure of the tool is a result with `isError`; only an unknown tool is a fault of the protocol. */
  async call({ params }: CallToolRequest, context: ServerContext): Promise<CallToolResult> {
    const { input, debug, traceId } = parametersInBody(params.arguments ?? {});
    const facts = { ...this.#request.facts, traceId: traceId ?? this.#request.facts.traceId };
    const asTask = takesTasks(context);
    let invocation: Invocation;
    let options: CallOptions | null = null;
    const result = async (answer: Answer) =>
      resultOf(options ? await this.#parts.finishing.finish(answer, { ...options, input, inline_files: false }) : answer);
    try {
      options = optionsOf(this.#request, { debug, options: params._meta?.[optionsInMeta] });
      invocation = await this.#parts.invoker.invoke({
        ...callBasics(this.#request),
        tool: params.name,
        input: () => input,
        facts,
        options,
        // A task is asked for later: it has a day.
        waits: !asTask,
      });
    } catch (thrown) {
      const { error, message } = toRefusal(thrown);
      if (error.family === 'TOOL_NOT_FOUND') throw new ProtocolError(ProtocolErrorCode.InvalidParams, message, error.extra);
      const toolName = this.#parts.invoker.catalog.find(params.name.split('@')[0] ?? '')?.name ?? params.name.slice(0, 64);
      return result({ outcome: { ok: false, error }, facts: { toolName, traceId: facts.traceId, timestamp: Date.now() } });
    }
    if (invocation.kind === 'cached') return result(this.#parts.answers.ofCached(invocation, facts));
    using _follower = invocation.follower;
    const answer = asTask ? await this.#soonOrTask(invocation, context) : await this.#awaited(invocation, context);
    return answer ? await result(answer) : await this.#parts.tasks.created(invocation.jobId);
  }

  /** Null for what is to go on as a task. */
  async #soonOrTask(invocation: Accepted, { mcpReq }: ServerContext): Promise<Answer | null> {
    if (invocation.contract.streaming) return null;
    const soon = AbortSignal.any([mcpReq.signal, AbortSignal.timeout(taskAfterMs)]);
    return this.#parts.answers.wait(invocation, callBasics(this.#request).caller, soon);
  }

  async #awaited(invocation: Accepted, context: ServerContext): Promise<Answer> {
    const { jobId, contract } = invocation;
    this.#parts.cancellations.note(this.#request, context.mcpReq.id, jobId);
    await using _report = new ProgressReport(this.#parts.followers, { jobId, toolName: contract.name }, context);
    const answer = await this.#parts.answers.wait(invocation, callBasics(this.#request).caller, context.mcpReq.signal);
    if (answer) return answer;
    const mayReturn = this.#request.headers['idempotency-key'] !== undefined;
    if (!mayReturn) await this.#parts.answers.abandon(invocation);
    throw new Refusal('CANCELLED', 'The caller went away');
  }
}

function resultOf(answer: Answer): CallToolResult {
  const { content, structuredContent, isError } = toMcpResult(envelopeOf(answer));
  return { content: [...content], structuredContent: { ...structuredContent }, isError };
}

function toTool(contract: ToolContract): Tool {
  const tool: Tool = JSON.parse(JSON.stringify(toMcp(contract)));
  return tool;
}

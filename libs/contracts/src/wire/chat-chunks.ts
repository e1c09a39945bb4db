// Turns the log of a chat turn into the chunks of a chat stream, in one of two formats (C-53). `ai-sdk` is the AI SDK's UI message stream
// without any other field, since strict clients refuse those. `source` adds the fields of the source document.
import { finishReasons, parseAgentOutput, type AgentToolRest, type AgentToolResult, type FinishReason } from '../agent/agent-output.js';
import type { ChatDialect } from '../agent/chat-mode.js';
import type { InputRequest } from '../console/inputs.js';
import type { Outcome } from '../envelope.js';
import { errorCodes, type ToolError } from '../errors.js';
import type { Tier } from '../scopes.js';

/** One server-sent event. `data` is a single line. */
export interface ChatFrame {
  readonly event?: 'error';
  readonly data: string;
}

interface ChatFacts {
  readonly dialect: ChatDialect;
  readonly messageId: string;
  readonly conversationId: string;
  readonly traceId: string;
  readonly tier: Tier;
  /** Whether its reader takes requests for approvals: clients of the AI SDK do from version 6 on, and older ones break at them. Default false. */
  readonly asksApproval?: boolean;
  /** Tool calls to whose requests its reader has answered. */
  readonly answered?: readonly string[];
}

/** What somebody is asked about a call, and whether the reader of the stream may say yes. */
export interface AskedInStream {
  readonly request: InputRequest;
  readonly mayAccept: boolean;
}

/** The three error types of the source document (VL-33). */
export type ChatErrorType = 'quota_exceeded' | 'agent-error' | 'internal_error';

/** The stream of one turn. Keeps track of open steps and texts, so that each is closed before the next one and before the end. */
export class ChatChunks {
  readonly #facts: ChatFacts;
  #isInStep = false;
  #texts = 0;
  #isInText = false;
  /** Tool calls about which the reader was asked. */
  readonly #asked: Set<string>;

  constructor(facts: ChatFacts) {
    this.#facts = facts;
    this.#asked = new Set(facts.answered);
  }

  /** The first chunks, sent before the turn has any output. */
  begin(): readonly ChatFrame[] {
    const { messageId, conversationId, traceId } = this.#facts;
    return [frame({ type: 'start', messageId, messageMetadata: { conversationId, traceId } })];
  }

  /** The chunks of one log entry. @param data output of the turn; throws a ZodError for anything else */
  of(data: unknown): readonly ChatFrame[] {
    const output = parseAgentOutput(data);
    switch (output.type) {
      case 'thinking': {
        const closing = this.#endStep();
        this.#isInStep = true;
        const { iteration } = output;
        return [...closing, frame({ type: 'start-step' }), frame({ type: 'data-thinking', data: { iteration }, transient: true })];
      }
      case 'content':
        return [...this.#beginText(), frame(this.#delta(output.content))];
      case 'tool_call':
        return [
          ...this.#endText(),
          frame({ type: 'tool-input-available', toolCallId: output.id, toolName: output.name, input: output.arguments }),
        ];
      case 'tool_result':
        return [
          ...this.#endText(),
          frame(
            output.declined && this.#asked.has(output.id)
              ? { type: 'tool-output-denied', toolCallId: output.id }
              : { type: 'tool-output-available', toolCallId: output.id, output: output.result },
          ),
          ...runOf(output),
        ];
      case 'step':
      case 'tool_rest':
        return this.#endText();
    }
  }

  /**
   * What somebody is asked about a call. The reader is asked for an approval who may give it, where a yes is all that is asked for. Everybody
   * else is told what is waited for: clients of the AI SDK keep data of types that they do not know beside the message.
   */
  asks({ id: toolCallId, job_id: jobId }: AgentToolRest, { request, mayAccept }: AskedInStream): readonly ChatFrame[] {
    const { id, kind, message, schema, state, url, expires_at: expiresAt } = request;
    // A stranger wrote it: it is text, and no address of ours.
    const address = request.request?.method === 'elicitation/create' ? request.request.params.url : null;
    const told = frame({
      type: 'data-input-request',
      id,
      data: {
        id,
        kind,
        toolCallId,
        jobId,
        message,
        schema,
        state,
        expiresAt,
        mayAccept,
        ...(url && { url }),
        ...(address !== null && { address }),
      },
    });
    if (!this.#facts.asksApproval || !mayAccept || state !== 'open' || kind === 'connection' || needsContent(request)) return [told];
    // A yes without the address in sight would say that its reader has opened it.
    if (address !== null) return [told];
    this.#asked.add(toolCallId);
    return [told, frame({ type: 'tool-approval-request', approvalId: id, toolCallId })];
  }

  /** The last chunks of a turn that rests: it goes on in another stream. */
  rests(): readonly ChatFrame[] {
    return [...this.#endStep(), frame({ type: 'finish', finishReason: 'tool-calls' }), ...this.#last()];
  }

  /** The last chunks, for the outcome of the turn. */
  end(outcome: Outcome): readonly ChatFrame[] {
    const closing = this.#endStep();
    if (outcome.ok) return [...closing, frame({ type: 'finish', finishReason: finishReasonOf(outcome.data) }), ...this.#last()];
    const { error } = outcome;
    if (error.family === 'CANCELLED') return [...closing, frame({ type: 'abort', reason: error.message }), ...this.#last()];
    const body = chatError(error, this.#facts.tier);
    // An AI SDK client shows this text only, so it contains the whole error.
    if (this.#facts.dialect === 'ai-sdk') return [...closing, frame({ type: 'error', errorText: JSON.stringify(body) }), ...this.#last()];
    return [...closing, { event: 'error', data: JSON.stringify(body) }];
  }

  #delta(content: string): object {
    const pure = { type: 'text-delta', id: this.#textId, delta: content };
    return this.#facts.dialect === 'ai-sdk' ? pure : { ...pure, textDelta: content };
  }

  get #textId(): string {
    return `text-${this.#texts}`;
  }

  #beginText(): readonly ChatFrame[] {
    if (this.#isInText) return [];
    this.#isInText = true;
    this.#texts += 1;
    return [frame({ type: 'text-start', id: this.#textId })];
  }

  #endText(): readonly ChatFrame[] {
    if (!this.#isInText) return [];
    this.#isInText = false;
    return [frame({ type: 'text-end', id: this.#textId })];
  }

  #endStep(): readonly ChatFrame[] {
    const text = this.#endText();
    if (!this.#isInStep) return text;
    this.#isInStep = false;
    return [...text, frame({ type: 'finish-step' })];
  }

  #last(): readonly ChatFrame[] {
    return this.#facts.dialect === 'ai-sdk' ? [{ data: '[DONE]' }] : [];
  }
}

/** An error in the format of the source document (VL-34). */
export function chatError(error: ToolError, tier: Tier): { readonly type: ChatErrorType; readonly message: string; readonly tier: Tier } {
  return { type: typeOf(error), message: error.message, tier };
}

function typeOf({ native_code: native, family }: ToolError): ChatErrorType {
  if (native === 'quota_exceeded' || native === 'agent-error' || native === 'internal_error') return native;
  if (family === 'QUOTA_EXCEEDED') return 'quota_exceeded';
  return errorCodes[family].http < 500 ? 'agent-error' : 'internal_error';
}

function needsContent({ schema }: InputRequest): boolean {
  const required = schema?.['required'];
  return Array.isArray(required) && required.length > 0;
}

function finishReasonOf(data: unknown): FinishReason {
  const reason = typeof data === 'object' && data !== null && 'finish_reason' in data ? data.finish_reason : undefined;
  return finishReasons.find((one) => one === reason) ?? 'stop';
}

/** Where people read how a call went. The AI SDK's clients keep data of types that they do not know beside the message. */
function runOf({ id, job_id: jobId }: AgentToolResult): readonly ChatFrame[] {
  return jobId === undefined ? [] : [frame({ type: 'data-run', id, data: { toolCallId: id, jobId } })];
}

function frame(chunk: object): ChatFrame {
  return { data: JSON.stringify(chunk) };
}

// Tools are called where everybody calls them: at the gateway, as the user, so scope, quota, cache and audit hold.
import { z } from 'zod';
import type { Caller } from '#lib/contracts';
import type { Logger } from '#lib/platform';

const definition = z.object({
  name: z.string(),
  description: z.string(),
  parameters: z.record(z.string(), z.unknown()),
  read_only: z.boolean(),
});
export type ToolDefinition = z.infer<typeof definition>;

const listAnswer = z.object({ tools: z.array(definition) });
const envelope = z.discriminatedUnion('success', [
  z.object({ success: z.literal(true), data: z.record(z.string(), z.unknown()), metadata: z.looseObject({}) }),
  z.object({
    success: z.literal(false),
    error: z.object({
      code: z.string(),
      message: z.string(),
      retryable: z.boolean(),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  }),
]);

export type ToolAnswer =
  | { readonly ok: true; readonly data: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: ToolFault };

export interface ToolFault {
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: readonly { readonly path: string; readonly message: string }[] | undefined;
}

/** In whose name and in which turn a tool is called. */
export interface Authority {
  readonly token: string;
  readonly caller: Caller;
  readonly jobId: string;
  readonly traceId: string;
  readonly signal: AbortSignal;
}

interface ToolCallOptions extends Authority {
  /** The same whenever the same call is made again, so that its effect happens once; null for a tool that only reads. */
  readonly effectKey: string | null;
  /** The longest that is waited, ms. */
  readonly limitMs: number;
}

/** How long a list of definitions is used before the gateway is asked whether it has changed. */
const freshMs = 5_000;

export class ToolsDoor {
  readonly #url: string;
  readonly #log: Logger;
  #known: { readonly byName: ReadonlyMap<string, ToolDefinition>; readonly etag: string; readonly at: number } | null = null;
  #asking: Promise<void> | null = null;

  constructor(url: string, log: Logger) {
    this.#url = url.replace(/\/$/, '');
    this.#log = log;
  }

  /** Every tool of the gateway by name; the last known ones while it cannot be asked. */
  async definitions(authority: Authority): Promise<ReadonlyMap<string, ToolDefinition>> {
    if (!this.#known || performance.now() - this.#known.at > freshMs) {
      this.#asking ??= this.#ask(authority).finally(() => (this.#asking = null));
      // A list that is a little old will do; the first one is waited for.
      if (!this.#known) await this.#asking;
    }
    return this.#known?.byName ?? new Map();
  }

  /** Never throws for what a tool does. Throws the signal's reason. */
  async call(name: string, input: unknown, options: ToolCallOptions): Promise<ToolAnswer> {
    const late = AbortSignal.timeout(options.limitMs);
    try {
      const response = await fetch(`${this.#url}/tools/${name}`, {
        method: 'POST',
        headers: {
          ...headersOf(options),
          'content-type': 'application/json',
          ...(options.effectKey && { 'idempotency-key': options.effectKey }),
        },
        body: JSON.stringify(input),
        signal: AbortSignal.any([options.signal, late]),
      });
      const answer = envelope.parse(await response.json());
      return answer.success ? { ok: true, data: answer.data } : { ok: false, error: answer.error };
    } catch (error) {
      options.signal.throwIfAborted();
      if (late.aborted)
        return { ok: false, error: { code: 'TIMEOUT', message: `${name} gave no answer in ${options.limitMs} ms`, retryable: true } };
      this.#log.warn({ event: 'tool-unreachable', trace_id: options.traceId, tool_name: name, err: error }, 'a tool could not be called');
      return { ok: false, error: { code: 'NETWORK_ERROR', message: 'The tool could not be reached', retryable: true } };
    }
  }

  async #ask(authority: Authority): Promise<void> {
    try {
      const headers = { ...headersOf(authority), ...(this.#known && { 'if-none-match': this.#known.etag }) };
      const response = await fetch(`${this.#url}/tools`, { headers, signal: AbortSignal.timeout(5_000) });
      if (response.status === 304 && this.#known) {
        this.#known = { ...this.#known, at: performance.now() };
        return;
      }
      const { tools } = listAnswer.parse(await response.json());
      this.#known = {
        byName: new Map(tools.map((tool) => [tool.name, tool])),
        etag: response.headers.get('etag') ?? '',
        at: performance.now(),
      };
    } catch (error) {
      this.#log.warn({ event: 'tools-unreachable', err: error }, 'the list of tools could not be read; the last known one is used');
    }
  }
}

function headersOf({ token, traceId }: Authority): Record<string, string> {
  return { authorization: `Bearer ${token}`, 'x-trace-id': traceId };
}

// The agent's own tools run inside the turn, not through the queue: a turn that holds a place of its domain's queue and waits there for
// another might wait for ever. Contract, time limit, call record and metrics are the same as for every call.
import { outcomeFacts, redact, toJsonSchema, validateInput, Refusal, type Outcome, type ToolContract } from '#lib/contracts';
import type { Logger } from '#lib/platform';
import { whoOf, type CallReports } from '#lib/transport';
import { runTool, type Handler } from '#lib/handlers';
import type { LocalServices } from '../local-services.js';
import type { ModelCall } from '../model/call-model.js';
import type { Authority, GatewayClient, ToolAnswer } from '../gateway-client.js';
import { toRecord } from './tool-results.js';

interface LocalParts {
  readonly gateway: Pick<GatewayClient, 'schedules' | 'results'>;
  readonly reports: Pick<CallReports, 'record'>;
  readonly log: Logger;
}

/** Tools by name. Every call of one that exists has a call record in the log. */
export class LocalTools {
  readonly #handlers: ReadonlyMap<string, Handler<LocalServices>>;
  readonly #services: LocalServices;
  readonly #gateway: Pick<GatewayClient, 'schedules' | 'results'>;
  readonly #reports: Pick<CallReports, 'record'>;
  readonly #log: Logger;

  constructor(handlers: readonly Handler<LocalServices>[], services: LocalServices, { gateway, reports, log }: LocalParts) {
    this.#handlers = new Map(handlers.map((handler) => [handler.contract.name, handler]));
    this.#services = services;
    this.#gateway = gateway;
    this.#reports = reports;
    this.#log = log;
  }

  find(name: string): ToolContract | undefined {
    return this.#handlers.get(name)?.contract;
  }

  /** True for the charts: a birth is worth knowing in the next conversation. */
  asksForBirth(name: string): boolean {
    const contract = this.find(name);
    return contract !== undefined && toJsonSchema(contract.input, 'input').properties?.['birth_date'] !== undefined;
  }

  /** Every error of a tool is an answer. Throws only the reason why the turn was stopped. */
  async run(call: ModelCall, turn: Authority): Promise<ToolAnswer> {
    const handler = this.#handlers.get(call.name);
    if (!handler) return { ok: false, error: { code: 'TOOL_NOT_FOUND', message: `No tool ${call.name}`, retryable: false } };
    const startedAt = Date.now();
    const start = performance.now();
    const outcome = await this.#outcome(handler, call, turn);
    turn.signal.throwIfAborted();
    const record = {
      trace_id: turn.traceId,
      request_id: null,
      tool_name: call.name,
      tenant_id: turn.caller.tenantId,
      ...whoOf(turn.caller, call.arguments, handler.contract),
      job_id: null,
      params: redact(handler.contract.input, 'input', call.arguments),
      started_at: startedAt,
      duration_ms: Math.round(performance.now() - start),
      execution_time_ms: Math.round(performance.now() - start),
      attempts: 1,
      ...outcomeFacts(outcome),
      cache_hit: false,
    };
    this.#reports.record(record, { outcome });
    return outcome.ok
      ? { ok: true, data: toRecord(outcome.data), warnings: outcome.warnings }
      : { ok: false, error: { ...outcome.error, retryable: false } };
  }

  async #outcome(handler: Handler<LocalServices>, call: ModelCall, turn: Authority): Promise<Outcome> {
    try {
      validateInput(handler.contract, call.arguments);
    } catch (error) {
      if (error instanceof Refusal) return { ok: false, error: error.error };
      throw error;
    }
    // They act with the authority of the turn.
    const services = {
      ...this.#services,
      schedules: () => this.#gateway.schedules(turn),
      results: () => this.#gateway.results(turn, null),
    };
    const result = await runTool(handler, services, {
      jobId: `${turn.jobId}:${call.id}`,
      number: 1,
      input: call.arguments,
      caller: turn.caller,
      sessionId: null,
      stop: turn.signal,
      onProgress: () => undefined,
      traceId: turn.traceId,
    });
    switch (result.kind) {
      case 'done':
        return { ok: true, data: result.data, warnings: result.warnings };
      case 'refused':
        return { ok: false, error: result.error };
      case 'failed':
        this.#log.warn(
          { event: 'tool-failed', trace_id: turn.traceId, tool_name: call.name, err: result.cause },
          'a tool failed in a turn',
        );
        return { ok: false, error: result.error };
      case 'resting':
        return { ok: false, error: { code: 'EXECUTION_ERROR', family: 'EXECUTION_ERROR', message: 'A tool of a turn cannot rest' } };
      case 'unchanged':
      case 'stopped':
        return { ok: false, error: { code: 'CANCELLED', family: 'CANCELLED', message: 'The turn was stopped' } };
    }
  }
}

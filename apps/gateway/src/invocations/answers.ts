// An invocation's end → what every door answers with.
import {
  failureError,
  lifecycleWarnings,
  phaseOf,
  principal,
  Refusal,
  toEnvelope,
  type Caller,
  type CallFacts,
  type Catalog,
  type Envelope,
  type Outcome,
  type ToolContract,
  type ToolError,
} from '#lib/contracts';
import { type Logger, TimeLimit } from '#lib/platform';
import {
  domainOfJob,
  endedCall,
  type EndedInvocation,
  type Ending,
  type InvocationHead,
  type InvocationStore,
  type Sealer,
  type ToolQueues,
  recordCall,
} from '#lib/transport';
import type { RequestFacts } from '../http/request-facts.js';
import type { Invocation } from './invoker.js';

export interface Answer {
  readonly outcome: Outcome;
  readonly facts: CallFacts;
}

interface AnswersParts {
  readonly store: InvocationStore;
  readonly queues: ToolQueues;
  readonly sealer: Sealer;
  readonly catalog: Catalog;
  /** By which life cycles are judged. */
  readonly clock: () => Date;
  readonly log: Logger;
}

export class Answers {
  readonly #parts: AnswersParts;

  constructor(parts: AnswersParts) {
    this.#parts = parts;
  }

  /** The answer of an ended invocation, handed to a reader: its secrets are opened, and may be gone afterwards. */
  async ofEnded(ended: EndedInvocation, reader: Caller): Promise<Answer> {
    const contract = this.contractOf(ended.head);
    return this.#answer(ended, await this.#opened(ended, { reader, contract }));
  }

  /** The same for a list, which opens nothing. */
  listed(ended: EndedInvocation): Answer {
    return this.#answer(ended, withoutSecrets(ended.ending.outcome));
  }

  #answer({ jobId, head, ending }: EndedInvocation, outcome: Outcome): Answer {
    const contract = this.contractOf(head);
    return {
      outcome: withWarnings(outcome, contract, this.#parts.clock()),
      facts: {
        toolName: head.tool,
        traceId: head.traceId,
        timestamp: ending.finishedAt,
        executionMs: ending.executionMs,
        performance: {
          validation_ms: head.validationMs,
          queue_ms: Math.max(0, (ending.startedAt ?? ending.finishedAt) - head.createdAt),
          network_ms: ending.networkMs,
          processing_ms: Math.max(0, Math.round((ending.executionMs - ending.networkMs) * 100) / 100),
          total_ms: Math.round((ending.finishedAt - head.createdAt + head.validationMs) * 100) / 100,
        },
        cache: contract?.cache && { hit: false },
        jobId,
        attempts: ending.attempts,
        toolVersion: head.version,
      },
    };
  }

  /** Headers that announce a tool's end (RFC 9745, RFC 8594, C-31). */
  lifecycleHeaders(contract: ToolContract): Record<string, string> {
    return lifecycleHeaders(contract, this.#parts.clock());
  }

  contractOf(head: InvocationHead): ToolContract | undefined {
    // A record may outlive its version by a day.
    return this.#parts.catalog.find(head.tool, head.version) ?? this.#parts.catalog.find(head.tool);
  }

  ofCached({ contract, entry, leftMs }: Extract<Invocation, { kind: 'cached' }>, request: RequestFacts): Answer {
    return {
      outcome: withWarnings(entry.outcome, contract, this.#parts.clock()),
      facts: {
        toolName: contract.name,
        traceId: request.traceId,
        timestamp: Date.now(),
        executionMs: 0,
        performance: {
          validation_ms: 0,
          queue_ms: 0,
          network_ms: 0,
          processing_ms: 0,
          total_ms: Math.round((performance.now() - request.startedAt) * 100) / 100,
        },
        cache: { hit: true, cached_at: new Date(entry.cachedAt).toISOString(), ttl_remaining: Math.max(1, Math.ceil(leftMs / 1_000)) },
        toolVersion: contract.version,
      },
    };
  }

  /**
   * Waits for an accepted invocation until it ends, its deadline comes, or the caller is gone.
   * Throws NETWORK_ERROR when the store has lost the call.
   * @returns null when the signal fires first
   */
  async wait(accepted: Extract<Invocation, { kind: 'accepted' }>, reader: Caller, signal: AbortSignal): Promise<Answer | null> {
    using left = new TimeLimit(accepted.deadline - Date.now(), signal);
    const ending = await accepted.follower.end(left.signal);
    if (signal.aborted) return null;
    if (ending === null && !left.timedOut) throw lost();
    const { jobId } = accepted;
    const head = accepted.head ?? (await this.#parts.store.read(jobId))?.head;
    if (!head) throw lost();
    const last = ending ?? (await this.expire(jobId, head, accepted.contract));
    return this.ofEnded({ jobId, head, ending: last }, reader);
  }

  /** The caller has waited as long as it would: the call ends here, and whoever runs it is told to stop (C-12). */
  async expire(jobId: string, head: InvocationHead, contract: ToolContract): Promise<Ending> {
    const error = failureError(contract, 'timeout', { message: `${contract.name} did not finish before its deadline` });
    return this.endNow(jobId, head, { state: 'failed', outcome: { ok: false, error }, unlessJoined: true });
  }

  /** Ends an invocation from outside its worker. The first end wins: what is given back is the one that holds. */
  async endNow(
    jobId: string,
    head: InvocationHead,
    how: { state: 'failed' | 'cancelled'; outcome: Outcome; unlessJoined?: boolean },
  ): Promise<Ending> {
    const before = await this.#parts.store.read(jobId);
    const ending: Ending = {
      state: how.state,
      outcome: how.outcome,
      startedAt: before?.startedAt ?? null,
      finishedAt: Date.now(),
      attempts: before?.runs ?? 0,
      executionMs: 0,
      networkMs: 0,
    };
    const finished = await this.#parts.store.finish({ jobId, head, ending, run: null, unlessJoined: how.unlessJoined ?? false });
    if (finished === 'ended') {
      recordCall(this.#parts.log, endedCall({ jobId, head, ending }, this.contractOf(head)));
      // A started job cannot be dropped; its worker has been told.
      await this.#parts.queues.drop(domainOfJob(jobId) ?? '', jobId).catch(() => undefined);
    }
    if (finished !== 'ended-before') return ending;
    return (await this.#parts.store.read(jobId))?.ending ?? ending;
  }

  /**
   * Nobody is left to read the answer: the call is stopped, unless somebody else has joined it (C-78). Calls with an
   * idempotency key may be asked for again, so they are not for this.
   */
  async abandon({ jobId, head, joined }: Extract<Invocation, { kind: 'accepted' }>): Promise<void> {
    if (joined || !head) return;
    const error = { code: 'CANCELLED', family: 'CANCELLED', message: 'The caller went away' } as const;
    await this.endNow(jobId, head, { state: 'cancelled', outcome: { ok: false, error }, unlessJoined: true });
  }

  async #opened(
    { jobId, head, ending }: EndedInvocation,
    { reader, contract }: { reader: Caller; contract: ToolContract | undefined },
  ): Promise<Outcome> {
    const { outcome } = ending;
    if (!outcome.ok || !outcome.sealed) return outcome;
    if (!contract || principal(reader) !== principal(head.caller)) return withoutSecrets(outcome);
    const text = await this.#parts.store.claim(jobId, {
      once: contract.secretLife?.once ?? false,
      joinableMs: contract.singleFlight?.windowMs ?? 0,
    });
    if (text === null) return { ok: false, error: consumed(contract) };
    const { sealed: _, ...rest } = outcome;
    return { ...rest, data: this.#parts.sealer.openData(contract, JSON.parse(text), { jobId, caller: head.caller }) };
  }
}

export function envelopeOf({ outcome, facts }: Answer): Envelope {
  return toEnvelope(outcome, facts);
}

function lifecycleHeaders(contract: ToolContract, now: Date): Record<string, string> {
  if (phaseOf(contract, now) !== 'sunset-announced' || !contract.sunsetDate) return {};
  return {
    deprecation: `@${Math.floor(new Date(contract.sunsetDate).getTime() / 1_000)}`,
    sunset: new Date(contract.sunsetDate).toUTCString(),
    ...(contract.replacement && { link: `</tools/${contract.replacement}>; rel="successor-version"` }),
  };
}

/** What a caller should know of the tool itself stands beside what the handler said. */
function withWarnings(outcome: Outcome, contract: ToolContract | undefined, now: Date): Outcome {
  const warnings = contract ? lifecycleWarnings(contract, now) : [];
  return warnings.length === 0 ? outcome : { ...outcome, warnings: [...(outcome.warnings ?? []), ...warnings] };
}

function withoutSecrets(outcome: Outcome): Outcome {
  if (!outcome.ok || !outcome.sealed) return outcome;
  const { sealed: _, ...rest } = outcome;
  return { ...rest, data: { sealed: true } };
}

function consumed(contract: ToolContract): ToolError {
  const code = 'RESULT_CONSUMED';
  return { code, family: code, message: `What ${contract.name} made was handed out or is over; call again for a new one` };
}

function lost(): Refusal {
  return new Refusal('NETWORK_ERROR', 'The call was lost with the store that held it; call again', { retry_after_ms: 1_000 });
}

import { canonical } from './canonical.js';
import type { CallKind, CallRecord, EndingSeen, EventSeen, RequestRecord } from './history.js';
import type { AnswerEnvelope } from '../load/wire.js';

/** The record of one call while it runs. */
export class CallLog {
  readonly id: string;
  readonly kind: CallKind;
  /** Calls of one user have the same. */
  readonly user: string;
  readonly startedAt = Date.now();
  readonly #requests: RequestRecord[] = [];
  readonly #endings: EndingSeen[] = [];
  readonly #events: EventSeen[] = [];
  readonly #jobIds = new Set<string>();
  #endedAt: number | null = null;

  /** @param facts `user` when it is not of a user of its own */
  constructor({ id, kind, user = id }: Pick<CallRecord, 'id' | 'kind'> & { readonly user?: string | undefined }) {
    this.id = id;
    this.kind = kind;
    this.user = user;
  }

  get endedAt(): number | null {
    return this.#endedAt;
  }

  /** The job, once an answer has named it. */
  get jobId(): string | null {
    return this.#jobIds.values().next().value ?? null;
  }

  get events(): readonly EventSeen[] {
    return this.#events;
  }

  get isOk(): boolean {
    return this.#endings[0]?.ok ?? false;
  }

  /** The error code that it ended with; null for a success. */
  get code(): string | null {
    return this.#endings[0]?.code ?? null;
  }

  request(record: RequestRecord): void {
    this.#requests.push(record);
  }

  acknowledged(jobId: string): void {
    this.#jobIds.add(jobId);
  }

  event(event: EventSeen): void {
    this.#jobIds.add(event.jobId);
    this.#events.push(event);
  }

  /** An envelope that tells how a job ended. */
  ending(where: EndingSeen['where'], envelope: AnswerEnvelope): void {
    const jobId = envelope.metadata.job_id ?? '';
    this.#jobIds.add(jobId);
    this.#endings.push({
      at: Date.now(),
      where,
      jobId,
      ok: envelope.success,
      code: envelope.error?.code ?? null,
      attempts: envelope.metadata.attempts ?? 0,
      envelope: canonical(envelope),
    });
  }

  /** The client has its answer, or an error that is not retryable. */
  end(): void {
    this.#endedAt ??= Date.now();
  }

  record(): CallRecord {
    return {
      id: this.id,
      kind: this.kind,
      startedAt: this.startedAt,
      endedAt: this.#endedAt,
      requests: this.#requests,
      endings: this.#endings,
      jobIds: [...this.#jobIds],
      events: this.#events,
    };
  }
}

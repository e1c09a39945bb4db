import { Inject, Injectable } from '@nestjs/common';
import { principal, Refusal, type Caller, type Decision, type DomainName } from '#lib/contracts';
import { partitionOfJob, queuedJob, type CallHead, type CallRecord } from '#lib/transport';
import { toRefusal } from './to-refusal.js';
import type { RequestFacts } from './call-facts.js';
import type { Answer } from './answer.js';
import { answerOptionsOf, type AnswerOptions } from './answer-enricher.js';
import { CachedCall } from './call.js';
import { CallFlows } from '../rules/flow/call-flows.js';
import type { CallRequest } from './accepted-call.js';
import { Invoker } from './invoker.js';
import { JobCall, lost, type JobCallServices } from './job-call.js';
import { mayRead } from './authorise.js';
import { ToolDirectory } from './tool-directory.js';
import { Stores } from '../stores.js';
import { Answers } from './answers.js';
import { AnswerEnricher } from './answer-enricher.js';
import { Endings } from './endings.js';

/** What every door uses of the pipeline: calls are started here, and found again. */
@Injectable()
export class Calls {
  readonly #services: JobCallServices;
  /** When a call was last made whose caller waits for the answer, by `performance.now()`. */
  #waitedAt = Number.NEGATIVE_INFINITY;

  constructor(
    @Inject(Stores) private readonly stores: Pick<Stores, 'store' | 'partitions' | 'followers' | 'clock'>,
    private readonly invoker: Invoker,
    private readonly tools: ToolDirectory,
    answers: Answers,
    enricher: AnswerEnricher,
    private readonly endings: Endings,
    @Inject(CallFlows) private readonly flows: Pick<CallFlows, 'of'>,
  ) {
    const { store, followers, clock } = stores;
    this.#services = { store, followers, clock, answers, enricher, endings };
  }

  /** How long ago a call was made here whose caller waits for the answer, in ms. */
  get sinceWaitedMs(): number {
    return performance.now() - this.#waitedAt;
  }

  /**
   * Takes a call through the pipeline. Throws a Refusal before anything is enqueued.
   * @returns the call of a job, or an answer from the cache
   */
  async start(request: CallRequest): Promise<JobCall | CachedCall> {
    const { caller, options, waits } = request;
    if (waits) this.#waitedAt = performance.now();
    const invocation = await this.invoker.invoke(request);
    const lifecycle = this.tools.lifecycleHeaders(invocation.contract);
    if (invocation.kind === 'cached')
      return new CachedCall({ ...this.#services, ...invocation, headers: lifecycle, options, request: request.facts });
    const { jobId, head, input, deadline, follower, joined, record, rest } = invocation;
    const headers = { ...lifecycle, 'x-trace-id': head.traceId, ...(invocation.replayed && { 'idempotent-replayed': 'true' }) };
    return new JobCall(this.#services, {
      jobId,
      head,
      input,
      deadline,
      reader: caller,
      headers,
      joined,
      options,
      record,
      rest,
      gone: lost,
      follower,
      request: request.facts,
    });
  }

  /**
   * The reader's own call, running or ended. Throws RESOURCE_NOT_FOUND, the same for a foreign call and for none.
   * @param session the working session that the reader names; of a tool that keeps sessions apart it finds that session's calls alone
   */
  async find(reader: Caller, jobId: string, session: string | null): Promise<JobCall> {
    const record = await this.stores.store.read(jobId);
    if (!record || !mayRead(reader, record.head.caller) || this.#isOfAnotherSession(session, record)) throw notFound();
    return this.#found(record, reader);
  }

  /** The call whose answer the reader was given, whoever made it. Throws RESOURCE_NOT_FOUND. */
  async given(reader: Caller, jobId: string): Promise<JobCall> {
    const record = await this.stores.store.read(jobId);
    if (!record) throw notFound();
    return this.#found(record, reader);
  }

  /** The running call under a flight key, or null. The key must hold the caller: nothing else is checked here. */
  async findRunning(reader: Caller, domain: DomainName, flightKey: string): Promise<JobCall | null> {
    const { store, partitions } = this.stores;
    for (const partition of partitions.of(domain, principal(reader))) {
      const jobId = await store.inFlight(partition, flightKey);
      const record = jobId === null ? null : await store.read(jobId);
      if (record && !record.ending) return this.#found(record, reader);
    }
    return null;
  }

  /**
   * Does what a person has decided about a call that rests for it: it runs, at its time where it has one, with other parameters where some are
   * given, or ends.
   * @returns false where somebody else was first, or its time was over
   */
  async decide(record: CallRecord, decision: Decision, changed?: CallHead): Promise<boolean> {
    if (decision.action !== 'accept') return this.endings.decide(record, decision);
    const { store } = this.stores;
    const head = changed ? this.#passing(changed) : record.head;
    const job = queuedJob({ jobId: record.jobId, head, contract: this.tools.contractOf(head) });
    // Approved before its time, it rests on until then.
    const restsUntil = head.runAt !== undefined && head.runAt > this.stores.clock.now() ? head.runAt : undefined;
    const request = { record, job, decision, ...(changed && { head }), ...(restsUntil !== undefined && { restsUntil }) };
    const wake = async () => (await store.resting.wake(partitionOfJob(record.jobId), [request]))[0] === 'woken';
    return (await wake()) || ((await store.isBack(record.jobId)) && (await wake()));
  }

  /** The parameters of a call, which may be in the file store. Throws FileStoreError. */
  async parametersOf(head: CallHead): Promise<CallHead['input']> {
    return this.stores.store.parametersOf(head);
  }

  /** Deletes ended calls before their time: their parameters, their events and their answers. */
  async forget(jobIds: readonly string[]): Promise<void> {
    await this.stores.store.forget(jobIds);
  }

  /**
   * The answer of a call that could not be started, for doors that serialise refusals like results.
   * @param options null when the options themselves could not be read
   */
  async refused(
    error: unknown,
    {
      tool,
      facts,
      options,
    }: {
      readonly tool: string;
      readonly facts: Pick<RequestFacts, 'traceId' | 'caller' | 'taken'>;
      readonly options: AnswerOptions | null;
    },
  ): Promise<Answer> {
    const refusal = toRefusal(error);
    facts.taken.chargeRefusal(refusal.error);
    const answer = this.#services.answers.ofRefused(refusal, { asked: tool, facts });
    return options ? this.#services.enricher.enrich(answer, options, null) : answer;
  }

  /** With other parameters a call may have to wait for others. */
  #passing(head: CallHead): CallHead {
    const contract = this.tools.contractOf(head);
    const lines = contract && this.flows.of(contract, head.input, { caller: head.caller, now: this.stores.clock.now() });
    return { ...head, lines };
  }

  #found(record: CallRecord, reader: Caller): JobCall {
    const { jobId, head, deadline } = record;
    const headers = { 'x-trace-id': head.traceId };
    const options = answerOptionsOf(head);
    return new JobCall(this.#services, {
      jobId,
      head,
      input: head.input,
      deadline,
      reader,
      headers,
      joined: false,
      options,
      record,
      rest: null,
      gone: notFound,
      follower: null,
      request: null,
    });
  }

  #isOfAnotherSession(session: string | null, { head }: CallRecord): boolean {
    if (session === null || session === head.sessionId) return false;
    return this.tools.contractOf(head)?.perSession ?? false;
  }
}

function notFound(): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', 'There is no such job; a job can be read for 24 hours, by the caller who made it');
}

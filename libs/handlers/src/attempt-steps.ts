// `step`, `sleep`, `ask` and `hook` of one attempt.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  answerOf,
  completeError,
  connectionStep,
  hookToken,
  isMoreScopesStep,
  moreScopesStep,
  mostRestMs,
  mostStepNameCharacters,
  questionOf,
  relayedQuestion,
  stepNameShape,
  type QuestionAnswer,
  type KeptStep,
  type Question,
  type RelayedRequest,
  type ToolContract,
} from '#lib/contracts';
import type { AccountAccess, AccountRecords } from './account-records.js';
import { ToolRefusal } from './tool-refusal.js';
import { Failure } from './failures.js';
import type { Ask, Asked, Hook, HooksAt, StepRecords, Wait, Waits } from './step-types.js';

const dayMs = 86_400_000;
/** @limit outside servers: times that a server asks for more rights within one call; PERMISSION_DENIED */
const mostTimesMore = 3;

interface AttemptStepsParts {
  readonly records: StepRecords;
  readonly jobId: string;
  /** Null where it is not known how the gateway is reached. */
  readonly hooksAt: () => HooksAt | null;
  readonly contract: ToolContract;
  /** Null where accounts are not known. */
  readonly account: AccountRecords | null;
}

const noContent = z.object({});
const answer = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).default({}),
}) satisfies z.ZodType<QuestionAnswer>;

/** The name of the step that runs. */
const within = new AsyncLocalStorage<string>();

/**
 * The steps of one attempt. When the handler waits for a time, the attempt ends once no step runs any more: so none is cut off by a rest that
 * began beside it. What waited never goes on: a handler that catches everything cannot do by mistake what should come after the rest.
 */
export class AttemptSteps {
  readonly #records: StepRecords;
  readonly #jobId: string;
  readonly #hooksAt: () => HooksAt | null;
  readonly #contract: ToolContract;
  readonly #account: AccountRecords | null;
  readonly #onRest: (waits: Waits) => void;
  readonly #names = new Set<string>();
  readonly #waits: Wait[] = [];
  #earlier: Promise<ReadonlyMap<string, KeptStep>> | null = null;
  #running = 0;

  /** @param onRest ends the attempt. It gets what is waited for, the first to end first */
  constructor({ records, jobId, hooksAt, contract, account }: AttemptStepsParts, onRest: (waits: Waits) => void) {
    this.#records = records;
    this.#jobId = jobId;
    this.#hooksAt = hooksAt;
    this.#contract = contract;
    this.#account = account;
    this.#onRest = onRest;
  }

  async step<T>(name: string, work: () => Promise<T> | T): Promise<T>;
  async step(name: string, work: () => unknown): Promise<unknown> {
    this.#take(name);
    return this.#counted(async () => {
      const earlier = await this.#find(name, 'step');
      if (earlier) return earlier.data;
      const data = await within.run(name, async () => work());
      // This attempt gets what a later one would.
      const kept = await this.#keep(name, { kind: 'step', data: data === undefined ? undefined : JSON.parse(JSON.stringify(data)) });
      return kept.data;
    });
  }

  async sleep(name: string, time: number | Date): Promise<void> {
    this.#take(name);
    const asked = typeof time === 'number' ? this.#records.now() + time : time.getTime();
    if (Number.isNaN(asked)) throw new TypeError(`The sleep "${name}" needs milliseconds or a date`);
    if (asked - this.#records.now() > mostRestMs) throw new RangeError(`The sleep "${name}" is longer than a year`);
    const { until } = await this.#counted(
      async () => (await this.#find(name, 'sleep')) ?? this.#keep(name, { kind: 'sleep', until: asked }),
    );
    if (until > this.#records.now()) await this.rest({ name, reason: 'sleep', until });
  }

  hook(name: string): Hook {
    this.#take(name);
    const at = this.#hooksAt();
    if (!at) throw new Error('It is not known here how the gateway is reached from outside: set PUBLIC_URL');
    return {
      url: `${at.url}/hooks/${hookToken(at.key, { jobId: this.#jobId, name })}`,
      wait: async ({ timeoutMs = dayMs } = {}) => this.#answer(name, timeoutMs),
    };
  }

  async ask<Content extends z.ZodObject>(name: string, question: Ask<Content>): Promise<Asked<Content>>;
  async ask(name: string, { message, schema = noContent, expiresMs = dayMs }: Ask<z.ZodObject>): Promise<Asked<z.ZodObject>> {
    const { action, content } = await this.#asked(name, questionOf(message, schema), expiresMs);
    return action === 'accept' ? { action, content: schema.parse(content) } : { action };
  }

  /** The same for what an outside server asks of the client of the call: its content is what the protocol has as the result. */
  async relay(name: string, message: string, request: RelayedRequest): Promise<QuestionAnswer> {
    return this.#asked(name, relayedQuestion(message, request), dayMs);
  }

  async #asked(name: string, question: Question, expiresMs: number): Promise<QuestionAnswer> {
    this.#take(name);
    const { ask, now } = this.#records;
    if (!ask) throw new Error('Callers cannot be asked here: the gateway is of an older version, or this worker has no database');
    if (!(expiresMs <= mostRestMs)) throw new RangeError(`The question "${name}" is open for at most a year`);
    const found = await this.#counted(async () => {
      const known = await this.#answerSoFar(name, { kind: 'question', id: randomUUID(), until: now() + expiresMs });
      if (known.kind === 'question') await ask({ ...question, id: known.id, until: known.until });
      return known;
    });
    if (found.kind === 'question') return this.rest({ name, reason: 'question', until: found.until, inputRequest: found.id, question });
    if (found.kind !== 'answer') throw new Failure('timeout', `Nobody answered the question "${name}" in time`, { retryable: false });
    return answer.parse(found.data);
  }

  /**
   * What a request for the caller carries. Rests until they have connected their account.
   * @param more rights that an outside server, or the tool itself, needs besides. They are asked for once: what is not granted then ends the call
   */
  async account(refused?: string, more: readonly string[] = []): Promise<AccountAccess> {
    const { connection } = this.#contract;
    if (!connection) throw new TypeError(`The contract of ${this.#contract.name} names no connection: { provider, scopes }`);
    if (!this.#account) throw new Error('Accounts are not known here: the gateway is of an older version, or this worker has no database');
    const found = await this.#account.access(refused, more);
    if (found.kind === 'access') return found;
    const { why, message } = found;
    if (why === 'provider') throw this.#refused('PERMISSION_DENIED', 'NO_PROVIDER', message);
    if (why === 'unasked') throw this.#refused('PERMISSION_DENIED', 'SCOPES_NOT_ALLOWED', message);
    if (why !== 'scopes' || more.length === 0) return this.#connected(this.#account, message);
    const name = moreScopesStep(more);
    const earlier = await (this.#earlier ??= this.#records.earlier());
    if (!earlier.has(name) && [...earlier.keys()].filter(isMoreScopesStep).length >= mostTimesMore)
      throw this.#notGranted(`${message}. It has asked for more ${mostTimesMore} times in this call`);
    const connected = await this.#connectedAt(name, { account: this.#account, message, more });
    if (connected) return connected;
    throw this.#notGranted(`${message}. Its user was asked, and they were not granted`);
  }

  /** Waits for the account. After each answer it was looked for again, so here it is asked for again. */
  async #connected(account: AccountRecords, message: string): Promise<AccountAccess> {
    for (let time = 1; ; time++) {
      const found = await this.#connectedAt(connectionStep(time), { account, message, more: [] });
      if (found) return found;
    }
  }

  /** Waits for the account under a name. Null where that has an answer: it was connected once more since. */
  async #connectedAt(
    name: string,
    { account, message, more }: { readonly account: AccountRecords; readonly message: string; readonly more: readonly string[] },
  ): Promise<AccountAccess | null> {
    const until = this.#records.now() + dayMs;
    const known = await this.#counted(async () => this.#answerSoFar(name, { kind: 'connection', id: randomUUID(), until }));
    if (known.kind === 'connection') {
      await account.ask?.({ id: known.id, message, until: known.until, more });
      // It may have been connected before anybody could know of the request.
      const found = await account.access(undefined, more);
      if (found.kind === 'access') return found;
      return this.#restNow({ name, reason: 'connection', until: known.until, inputRequest: known.id });
    }
    if (known.kind !== 'answer') throw new Failure('timeout', 'The account was not connected in time', { retryable: false });
    const { action } = answer.parse(known.data);
    if (action !== 'accept') throw this.#refused('PERMISSION_DENIED', 'DECLINED', `${message}: its user has said no`);
    return null;
  }

  #notGranted(message: string): ToolRefusal {
    return this.#refused('PERMISSION_DENIED', 'SCOPES_NOT_GRANTED', message);
  }

  #refused(family: 'PERMISSION_DENIED', literal: string, message: string): ToolRefusal {
    return new ToolRefusal(completeError(this.#contract, { code: family, family, native_code: literal, message }));
  }

  /** Also within a step, which can come to no end then: what it did is done again. */
  async #restNow(wait: Wait): Promise<never> {
    if (within.getStore() === undefined) return this.rest(wait);
    this.#onRest([wait]);
    return new Promise<never>(() => undefined);
  }

  async #answer(name: string, timeoutMs: number): Promise<unknown> {
    refuseWithin(name);
    if (!(timeoutMs <= mostRestMs)) throw new RangeError(`The hook "${name}" waits for at most a year`);
    const found = await this.#counted(async () => this.#answerSoFar(name, { kind: 'hook', until: this.#records.now() + timeoutMs }));
    if (found.kind === 'hook') return this.rest({ name, reason: 'event', until: found.until });
    if (found.kind === 'answer') return found.data;
    throw new Failure('timeout', `Nobody called the hook "${name}" in time`, { retryable: false });
  }

  /** What is known of a hook or a question; that nobody answered in time is kept, so that every later attempt finds the same. */
  async #answerSoFar(name: string, asked: Extract<KeptStep, { kind: 'hook' | 'question' | 'connection' }>): Promise<KeptStep> {
    const found = (await (this.#earlier ??= this.#records.earlier())).get(answerOf(name));
    if (found) return found;
    const open = (await this.#find(name, asked.kind)) ?? (await this.#keep(name, asked));
    if (open.until > this.#records.now()) return open;
    return (await this.#records.keep(answerOf(name), { kind: 'timeout' })) ?? new Promise<never>(() => undefined);
  }

  /** Ends the attempt once no step runs: of all that is waited for, the first ends the rest. Never resolves. */
  async rest(...waits: Waits): Promise<never> {
    this.#waits.push(...waits);
    this.#restWhenIdle();
    return new Promise<never>(() => undefined);
  }

  #take(name: string): void {
    refuseWithin(name);
    if (!stepNameShape.test(name))
      throw new RangeError(`The name of a step has 1 to ${mostStepNameCharacters} characters, and no control characters`);
    if (this.#names.has(name))
      throw new Error(`This attempt has two steps with the name "${name}": a name says which step it is, so each has its own`);
    this.#names.add(name);
  }

  async #find<Kind extends KeptStep['kind']>(name: string, kind: Kind): Promise<Extract<KeptStep, { kind: Kind }> | undefined> {
    const found = (await (this.#earlier ??= this.#records.earlier())).get(name);
    return found && ofKind(found, name, kind);
  }

  async #keep<Kind extends KeptStep['kind']>(
    name: string,
    step: Extract<KeptStep, { kind: Kind }>,
  ): Promise<Extract<KeptStep, { kind: Kind }>> {
    const kept = await this.#records.keep(name, step);
    return kept ? ofKind(kept, name, step.kind) : new Promise<never>(() => undefined);
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#restWhenIdle();
    }
  }

  #restWhenIdle(): void {
    if (this.#waits.length === 0 || this.#running > 0) return;
    // What the handler does next may begin a step.
    setImmediate(() => {
      if (this.#running > 0) return;
      const [first, ...others] = this.#waits.splice(0).toSorted((a, b) => a.until - b.until);
      if (first) this.#onRest([first, ...others]);
    });
  }
}

function refuseWithin(name: string): void {
  const outer = within.getStore();
  if (outer !== undefined) throw new Error(`"${name}" is within the step "${outer}": what a step does is done in one go`);
}

function ofKind<Kind extends KeptStep['kind']>(step: KeptStep, name: string, kind: Kind): Extract<KeptStep, { kind: Kind }> {
  if (isOfKind(step, kind)) return step;
  throw new Error(`"${name}" is a ${kind} now and was a ${step.kind} in an earlier attempt: give it another name`);
}

function isOfKind<Kind extends KeptStep['kind']>(step: KeptStep, kind: Kind): step is Extract<KeptStep, { kind: Kind }> {
  return step.kind === kind;
}

// `step` and `sleep` of one attempt.
import { AsyncLocalStorage } from 'node:async_hooks';
import { mostRestMs, mostStepNameCharacters, type KeptStep, type Rest } from '#lib/contracts';

/** What a call asks for when it rests. */
export type AskedRest = Pick<Rest, 'reason' | 'until'>;

/** What a handler waits for, by the name of its step. */
export interface Wait extends AskedRest {
  readonly name: string;
}

/** Where the steps of a call are kept. */
export interface StepRecords {
  /** What earlier attempts have kept, by name. */
  readonly earlier: () => Promise<ReadonlyMap<string, KeptStep>>;
  /** Keeps one, and gives what is kept under its name: the first holds. Null when the attempt is not the call's any more, and is being stopped. */
  readonly keep: (name: string, step: KeptStep) => Promise<KeptStep | null>;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** At least one. */
export type Waits = readonly [Wait, ...Wait[]];

/** Keeps nothing: of a handler that is run by itself. */
export const noRecords: StepRecords = { earlier: async () => new Map(), keep: async (_name, step) => step, now: Date.now };

/** The name of the step that runs. */
const within = new AsyncLocalStorage<string>();

/**
 * The steps of one attempt. When the handler waits for a time, the attempt ends once no step runs any more: so none is cut off by a rest that
 * began beside it. What waited never goes on: a handler that catches everything cannot do by mistake what should come after the rest.
 */
export class AttemptSteps {
  readonly #records: StepRecords;
  readonly #onRest: (waits: Waits) => void;
  readonly #names = new Set<string>();
  readonly #waits: Wait[] = [];
  #earlier: Promise<ReadonlyMap<string, KeptStep>> | null = null;
  #running = 0;

  /** @param onRest ends the attempt. It gets what is waited for, the first to end first */
  constructor(records: StepRecords, onRest: (waits: Waits) => void) {
    this.#records = records;
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

  /** Ends the attempt once no step runs: of all that is waited for, the first ends the rest. Never resolves. */
  async rest(...waits: Waits): Promise<never> {
    this.#waits.push(...waits);
    this.#restWhenIdle();
    return new Promise<never>(() => undefined);
  }

  #take(name: string): void {
    const outer = within.getStore();
    if (outer !== undefined) throw new Error(`"${name}" is within the step "${outer}": what a step does is done in one go`);
    if (name === '' || name.length > mostStepNameCharacters)
      throw new RangeError(`The name of a step has 1 to ${mostStepNameCharacters} characters`);
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

function ofKind<Kind extends KeptStep['kind']>(step: KeptStep, name: string, kind: Kind): Extract<KeptStep, { kind: Kind }> {
  if (isOfKind(step, kind)) return step;
  throw new Error(`"${name}" is a ${kind} now and was a ${step.kind} in an earlier attempt: give it another name`);
}

function isOfKind<Kind extends KeptStep['kind']>(step: KeptStep, kind: Kind): step is Extract<KeptStep, { kind: Kind }> {
  return step.kind === kind;
}

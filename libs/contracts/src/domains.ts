// A domain is one queue and one worker app. The numbers are chosen per domain and live nowhere else.

export interface Domain {
  readonly name: string;
  /** Attempts that one worker process runs at the same time. */
  readonly concurrency: number;
  /**
   * How long a worker may be silent before its job is given to another, in ms. Short means quick recovery from a killed
   * worker (about lock + check) and more double runs after a pause; only domains of pure reads can afford short.
   */
  readonly lockMs: number;
  readonly stalledCheckMs: number;
  /** Invocations that may be open (waiting or running) at once; past it callers get 503. */
  readonly maxOpen: number;
  /** The part of `maxOpen` that one tenant may fill, 0–1; past it that tenant gets 429. */
  readonly tenantShare: number;
}

export const domains = {
  // Pure reads and arithmetic: a double run costs nothing, so recovery is quick (6 s measured).
  profile: { name: 'profile', concurrency: 64, lockMs: 5_000, stalledCheckMs: 2_000, maxOpen: 5_000, tenantShare: 0.8 },
  // Upstreams of others and rendered files: calls are long, a few of them have effects, so a second run costs more than a wait.
  perception: { name: 'perception', concurrency: 32, lockMs: 15_000, stalledCheckMs: 5_000, maxOpen: 2_000, tenantShare: 0.5 },
  // Reads, and imports that find their own work done when they run twice.
  knowledge: { name: 'knowledge', concurrency: 16, lockMs: 10_000, stalledCheckMs: 4_000, maxOpen: 5_000, tenantShare: 0.8 },
  // Links carry one idempotency key over all runs, so a double run finds the first one's link; it still costs Stripe a call.
  // An attempt's three seconds hold its reads of the platform too: better that a call waits in the queue than among others for them.
  stripe: { name: 'stripe', concurrency: 16, lockMs: 10_000, stalledCheckMs: 3_000, maxOpen: 5_000, tenantShare: 0.8 },
  // Writes, each once by its effect key, so a double run costs time and nothing else; the lock bears the pauses of a busy store.
  memotree: { name: 'memotree', concurrency: 32, lockMs: 10_000, stalledCheckMs: 5_000, maxOpen: 5_000, tenantShare: 0.8 },
  // A turn waits for a model most of its time and costs money when it is run twice: many at once, and a patient lock.
  agent: { name: 'agent', concurrency: 256, lockMs: 15_000, stalledCheckMs: 5_000, maxOpen: 2_000, tenantShare: 0.5 },
} as const satisfies Record<string, Domain>;

export type DomainName = keyof typeof domains;

import { z } from 'zod';

// A domain has one queue and one worker app. It is declared here and nowhere else; `npm run format` writes its rows in all deployments.

export interface Domain {
  readonly name: string;
  /** How many attempts one worker process runs at the same time. */
  readonly concurrency: number;
  /**
   * How long a worker may be silent before its job is given to another one, in ms. A short lock recovers quickly from a killed worker
   * (about lock + check), but a worker that only paused has its jobs run twice. Only domains whose second run costs nothing can afford that.
   */
  readonly lockMs: number;
  readonly stalledCheckMs: number;
  /** How many invocations may be open (waiting or running) at once. Above it, calls are refused with 503. */
  readonly maxOpen: number;
  /** The share of `maxOpen` that one tenant may use, 0–1. Above it, calls of that tenant are refused with 429. */
  readonly tenantShare: number;
  /** Whether its worker calls services on the internet; else a network policy refuses that. */
  readonly outward?: boolean;
  /** Keys and channels of Redis that its worker reaches besides its own, as an ACL names them in the namespace `invoq`. */
  readonly redisRights?: readonly string[];
  /** Whether its worker reaches Postgres without PgBouncer, where every read is planned anew. */
  readonly unpooledDatabase?: boolean;
}

export const domains = {
  // Reads, arithmetic, and imports that change nothing the second time. A second run costs nothing, so the lock is short (recovery in 6 s, measured).
  profile: { name: 'profile', concurrency: 64, lockMs: 5_000, stalledCheckMs: 2_000, maxOpen: 5_000, tenantShare: 0.8 },
  // Calls of upstreams and rendering of files. Calls are long and some have effects, so a second run costs more than waiting.
  perception: {
    name: 'perception',
    concurrency: 32,
    lockMs: 15_000,
    stalledCheckMs: 5_000,
    maxOpen: 2_000,
    tenantShare: 0.5,
    outward: true,
    // Tells the others when the tools of an outside server have changed, and reads which resources of outside servers clients listen for.
    redisRights: ['&invoq:outside-changes', '~invoq:watched:*'],
  },
  // Reads, and imports, which skip what an earlier run has stored.
  knowledge: { name: 'knowledge', concurrency: 16, lockMs: 10_000, stalledCheckMs: 4_000, maxOpen: 5_000, tenantShare: 0.8, outward: true },
  // All runs of a call use one idempotency key, so a second run gets the link of the first; it still costs one call of Stripe. The three
  // seconds of an attempt include reads of the platform database. Few attempts run at once, so that calls wait in the queue, not there.
  stripe: { name: 'stripe', concurrency: 16, lockMs: 10_000, stalledCheckMs: 3_000, maxOpen: 5_000, tenantShare: 0.8, outward: true },
  // Writes, each done once by its effect key, so a second run costs only time. The lock is long enough for pauses of a busy database.
  memotree: {
    name: 'memotree',
    concurrency: 32,
    lockMs: 10_000,
    stalledCheckMs: 5_000,
    maxOpen: 5_000,
    tenantShare: 0.8,
    outward: true,
    unpooledDatabase: true,
  },
  // A turn mostly waits for a model, so many run at once. A second run costs money, so the lock is long.
  agent: { name: 'agent', concurrency: 256, lockMs: 15_000, stalledCheckMs: 5_000, maxOpen: 2_000, tenantShare: 0.5, outward: true },
} as const satisfies Record<string, Domain>;

export type DomainName = keyof typeof domains;

/** The queue of a domain that a tenant's own workers serve. */
export type ServedDomainName = `own-${string}`;

const known = Object.keys(domains).filter((name): name is DomainName => Object.hasOwn(domains, name));

/**
 * The setting `DOMAINS`: the domains that an installation serves, comma-separated. All of them where it is absent, and none of ours
 * where it is `none`.
 */
export const servedDomains = z
  .string()
  .default(known.join(','))
  .transform((text, context): readonly DomainName[] => {
    const asked = text.split(',').map((name) => name.trim());
    const unknown = asked.filter((name) => name !== 'none' && !Object.hasOwn(domains, name));
    if (unknown.length > 0 || (asked.includes('none') && asked.length > 1)) {
      const message = `must be "none" or some of ${known.join(', ')}, comma-separated`;
      context.addIssue({ code: 'custom', message: unknown.length > 0 ? `${message}, not "${unknown.join('", "')}"` : message });
      return z.NEVER;
    }
    return known.filter((name) => asked.includes(name));
  });

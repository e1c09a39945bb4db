import { z } from 'zod';

const times = z.int().min(1).max(100_000).default(1);
const match = {
  /** How many requests it is done to. */
  times,
  /** Only to requests whose `METHOD /path` begins so. */
  on: z.string().default(''),
  /** Only to requests about this account; to all when empty. */
  account: z.string().default(''),
};
const headers = z.record(z.string(), z.string()).default({});

/** A fault that is done to the next matching requests. Plain data: it comes through the control door. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** Stripe's error object with any status; `saved` remembers it under the idempotency key, as Stripe does once it has begun. */
  z.strictObject({
    kind: z.literal('status'),
    status: z.int().min(300).max(599),
    code: z.string().optional(),
    headers,
    saved: z.boolean().default(false),
    ...match,
  }),
  /** 429, with this `Retry-After`, sent as it is. */
  z.strictObject({ kind: z.literal('rate-limit'), retryAfter: z.string().optional(), headers, ...match }),
  /** Answers later. */
  z.strictObject({ kind: z.literal('delay'), ms: z.int().min(0).max(600_000), ...match }),
  /** Never answers. */
  z.strictObject({ kind: z.literal('hang'), ...match }),
  /** Cuts the connection; nothing was made. */
  z.strictObject({ kind: z.literal('reset-before'), ...match }),
  /** Cuts the connection; what was asked for was made. */
  z.strictObject({ kind: z.literal('reset-after'), ...match }),
  /** Makes what was asked for, and answers never. */
  z.strictObject({ kind: z.literal('hang-after'), ...match }),
  /** A page for people. */
  z.strictObject({ kind: z.literal('html'), status: z.int().min(200).max(599).default(200), ...match }),
  /** Half of the answer, said to be whole. */
  z.strictObject({ kind: z.literal('truncated'), ...match }),
  /** Fewer bytes than Content-Length says. */
  z.strictObject({ kind: z.literal('short'), ...match }),
  /** A body of so many bytes. */
  z.strictObject({ kind: z.literal('huge'), bytes: z.int().min(1).max(200_000_000), ...match }),
  /** So many bytes in a thousandth of them. */
  z.strictObject({ kind: z.literal('gzip-bomb'), bytes: z.int().min(1).max(200_000_000), ...match }),
  /** One byte after the other. */
  z.strictObject({ kind: z.literal('drip'), everyMs: z.int().min(1).max(60_000), ...match }),
  z.strictObject({ kind: z.literal('redirect'), to: z.string(), ...match }),
  /** A link to somewhere else than Stripe. */
  z.strictObject({ kind: z.literal('foreign-link'), origin: z.string(), ...match }),
  /** JSON, but not what was asked for. */
  z.strictObject({ kind: z.literal('wrong-shape'), ...match }),
]);

export type Fault = z.output<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;

/** Faults waiting for their requests, first come first served. */
export class Faults {
  #waiting: { readonly fault: Fault; left: number }[] = [];

  add(wish: FaultInput): void {
    const fault = faultSchema.parse(wish);
    this.#waiting.push({ fault, left: fault.times });
  }

  /**
   * @param request `POST /v1/account_links`
   * @param account that the request is about
   */
  next(request: string, account: string): Fault | null {
    const found = this.#waiting.find(({ fault }) => request.startsWith(fault.on) && (fault.account || account) === account);
    if (!found) return null;
    found.left -= 1;
    if (found.left === 0) this.#waiting = this.#waiting.filter((one) => one !== found);
    return found.fault;
  }

  clear(): void {
    this.#waiting = [];
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Domain } from '#lib/contracts';
import { onceASecond, type Logger } from '#lib/platform';
import { TakeUpRate, type Metrics, type Acceptance, type Partition } from '#lib/transport';
import { boundedDomain, type BoundSettings } from '../bounded-domain.js';
import { Stores } from '../stores.js';

type NotAdmitted = Extract<Acceptance, { readonly kind: 'overloaded' | 'tenant-overloaded' | 'too-late' }>;

interface RefusedPlace {
  readonly partition: Partition;
  readonly leftMs: number;
}

/** Who is refused comes back when so much of its bound is free again. */
const freedShare = 0.1;
const leastWaitMs = 1_000;
const mostWaitMs = 60_000;

/** How much open work there may be, and when who is refused should come back. */
@Injectable()
export class Admission {
  /** Then less is known of when to come back. */
  readonly #onFault = onceASecond((error: unknown) =>
    this.stores.log.warn({ event: 'redis-fault', err: error }, 'a queue could not be measured'),
  );

  constructor(
    @Inject(Stores) private readonly stores: {
      readonly settings: BoundSettings;
      readonly metrics: Pick<Metrics, 'shedCalls'>;
      readonly log: Pick<Logger, 'warn'>;
    },
    private readonly rate: TakeUpRate,
  ) {}

  /** A domain with the bounds that are set for it. Throws TypeError for the name of none. */
  domain(name: string): Domain {
    return boundedDomain(name, this.stores.settings);
  }

  /** How many calls may stand before one that must begin in `leftMs`; undefined where that is not known. */
  maxAhead(partition: Partition, { concurrency }: Domain, leftMs: number): number | undefined {
    const rate = this.rate.of(partition, concurrency);
    return rate === null ? undefined : Math.max(0, Math.floor((rate * leftMs) / 1_000));
  }

  /** A call waits for others: from now on it is measured how fast they are taken up. */
  sawWaiting(partition: Partition): void {
    this.rate.look(partition).catch(this.#onFault);
  }

  /** What a caller is told. @param call.leftMs as given to `maxAhead` */
  refusal(answer: NotAdmitted, { name, concurrency, maxOpen, tenantShare }: Domain, { partition, leftMs }: RefusedPlace): Refusal {
    this.stores.metrics.shedCalls.inc({ reason: answer.kind });
    this.sawWaiting(partition);
    const rate = this.rate.of(partition, concurrency);
    const comeBackAfter = (calls: number) => ({ retry_after_ms: jittered(rate === null ? leastWaitMs : (calls / rate) * 1_000) });
    switch (answer.kind) {
      case 'overloaded':
        return new Refusal(
          'OVERLOADED',
          `The ${name} tools have as many open calls as they can hold; the last places are for tenants with few`,
          comeBackAfter(maxOpen * freedShare),
        );
      case 'tenant-overloaded':
        return new Refusal(
          'RATE_LIMITED',
          `Your tenant has as many open calls of the ${name} tools as it may have`,
          comeBackAfter(maxOpen * tenantShare * freedShare),
        );
      case 'too-late': {
        const { ahead } = answer;
        const waitS = rate === null ? 0 : ahead / rate;
        return new Refusal(
          'OVERLOADED',
          `${ahead} calls of the ${name} tools stand before this one and would take about ${Math.ceil(waitS)} s, longer than its deadline of ` +
            `${Math.round(leftMs / 1_000)} s; call later, or with Prefer: respond-async`,
          comeBackAfter(ahead - ((rate ?? 0) * leftMs) / 1_000),
        );
      }
    }
  }
}

/** Jitter keeps callers from coming back at the same moment. */
function jittered(ms: number): number {
  return Math.round(Math.min(mostWaitMs, Math.max(leastWaitMs, ms)) * (1 + Math.random()));
}

// Domains → what is wrong with them.
import type { QueueState } from '#lib/contracts';

/** A domain of the product, or of tenants' own workers. */
export interface DomainNow extends Pick<QueueState, 'domain' | 'open' | 'waiting' | 'oldest_waiting_at' | 'workers'> {
  readonly tenant_id?: string;
  /** When the last worker left; absent where that is not kept. */
  readonly unserved_since?: string | null;
}

interface Unserved {
  readonly key: string;
  readonly name: string;
  readonly since: string | null;
  readonly open: number;
}

interface Slow {
  readonly key: string;
  readonly name: string;
  readonly waiting: number;
  readonly waitedMs: number;
}

/** A call that a worker takes sooner does not wait for anything. */
const slowMs = 10_000;

/** Domains whose calls nobody takes, and those whose workers come too late; the worst first. @param now epoch ms */
export function troubleOf(
  domains: readonly DomainNow[],
  now: number,
): { readonly unserved: readonly Unserved[]; readonly slow: readonly Slow[] } {
  const isUnserved = ({ workers, open }: DomainNow) => workers === 0 && open > 0;
  return {
    unserved: domains
      .filter(isUnserved)
      .map((domain) => ({ ...namesOf(domain), since: domain.unserved_since ?? null, open: domain.open }))
      .sort((a, b) => b.open - a.open),
    slow: domains
      .filter((domain) => !isUnserved(domain))
      .flatMap((domain) => {
        const { waiting, oldest_waiting_at: oldest } = domain;
        const waitedMs = waiting > 0 && oldest !== null ? now - new Date(oldest).getTime() : 0;
        return waitedMs >= slowMs ? [{ ...namesOf(domain), waiting, waitedMs }] : [];
      })
      .sort((a, b) => b.waitedMs - a.waitedMs),
  };
}

function namesOf({ domain, tenant_id: tenant }: DomainNow): Pick<Slow, 'key' | 'name'> {
  return { key: `${tenant ?? ''} ${domain}`, name: domain };
}

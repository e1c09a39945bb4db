import { Injectable } from '@nestjs/common';
import { Refusal, type Caller, type Rest, type ToolContract } from '#lib/contracts';
import { pausedMs } from '#lib/transport';
import { PauseDirectory, type ReadyPause } from './pause-directory.js';

/** A pause that a call meets. */
export interface MetPause {
  readonly id: string;
  readonly name: string;
  readonly why: string;
  readonly refuse: boolean;
}

/** What pauses say of a call before it is accepted. */
@Injectable()
export class CallPauses {
  constructor(private readonly directory: PauseDirectory) {}

  /** The pause that a call waits for, or is refused by; null where it may run. Throws NETWORK_ERROR. */
  of(contract: ToolContract, { tenantId }: Pick<Caller, 'tenantId'>): MetPause | null {
    const pauses = this.directory.met(tenantId);
    if (pauses.length === 0) return null;
    const met = pauses.filter((pause) => pause.pauses(contract, tenantId));
    const first = met.find(({ row }) => row.refuse) ?? met[0];
    return first ? toMet(first) : null;
  }
}

function toMet({ id, row: { name, reason, refuse } }: ReadyPause): MetPause {
  return { id, name, why: reason, refuse };
}

/** The rest of a call that is paused when it comes. @param now epoch ms */
export function pausedRest({ id, name, why }: MetPause, now: number): Pick<Rest, 'reason' | 'until' | 'pause'> {
  return { reason: 'paused', until: now + pausedMs, pause: { id, name, why } };
}

export function pausedRefusal({ name, why }: MetPause): Refusal {
  return new Refusal('OVERLOADED', `Calls of this tool are paused by '${name}': ${why}. It is not known for how long: tell the user so.`, {
    native_code: 'PAUSED',
    retry_after_ms: 30_000,
    extra: { pause: name, reason: why },
  });
}

import { Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { Refusal, type Approval, type Rest } from '#lib/contracts';
import { askedRow, type AskedCall } from '#lib/transport';
import { InputStore } from './input-store.js';
import { Stores } from '../../stores.js';

/** Asks people about calls that need their approval. */
@Injectable()
export class Approvals {
  constructor(
    private readonly stores: Stores,
    private readonly inputs: InputStore,
  ) {}

  /**
   * Stores what is asked, before the call is accepted: one that rests can always be decided. Throws NETWORK_ERROR when Postgres is away.
   * @returns the rest of the call
   */
  async ask(
    { message, expiresMs, self }: Approval,
    call: AskedCall,
  ): Promise<Pick<Rest, 'reason' | 'until'> & { readonly inputRequest: string }> {
    const { sealer } = this.stores;
    const { createdAt } = call.head;
    const [id, until] = [randomUUID(), Math.floor(createdAt + expiresMs)];
    await this.inputs
      .create(askedRow(sealer, call, { id, kind: 'approval', message, selfDecides: self, createdAt, until }))
      .catch((cause: unknown) => {
        throw unreachable(cause);
      });
    return { reason: 'approval', until, inputRequest: id };
  }

  /** Takes back what was asked about a call that was not accepted. A sweeper does it where this fails. */
  async takeBack(id: string): Promise<void> {
    await this.inputs
      .remove(id)
      .catch((error: unknown) =>
        this.stores.log.warn(
          { event: 'inputs-fault', err: error },
          'an input request without a call could not be removed; a sweeper does it',
        ),
      );
  }
}

function unreachable(cause: unknown): Refusal {
  const refusal = new Refusal('NETWORK_ERROR', 'The call needs an approval, which cannot be asked for at the moment', {
    retry_after_ms: 1_000,
  });
  refusal.cause = cause;
  return refusal;
}

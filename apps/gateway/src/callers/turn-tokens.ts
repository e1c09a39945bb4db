import { Inject, Injectable } from '@nestjs/common';
import { Refusal, type Caller } from '#lib/contracts';
import { readTurnToken, type InvocationStore, type Sealer } from '#lib/transport';
import { Stores } from '../stores.js';

/** The credential of a running chat turn, or of running code: it has the caller's own rights, and none once the turn has ended. */
@Injectable()
export class TurnTokens {
  constructor(@Inject(Stores) private readonly stores: { readonly sealer: Sealer; readonly store: Pick<InvocationStore, 'read'> }) {}

  /** Throws UNAUTHORIZED. */
  async callerOf(token: string): Promise<Caller> {
    const authority = readTurnToken(this.stores.sealer, token);
    const record = authority && (await this.stores.store.read(authority.jobId));
    if (!authority || !record || record.ending) throw new Refusal('UNAUTHORIZED', 'The turn that this credential was made for is over');
    const { caller, kind, jobId: turnId, conversationId } = authority;
    return { ...caller, turnId, conversationId, ...(kind === 'code' && { byCode: true }) };
  }
}

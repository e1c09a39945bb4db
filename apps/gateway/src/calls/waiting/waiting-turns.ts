import { Inject, Injectable } from '@nestjs/common';
import { inputWait, type Caller } from '#lib/contracts';
import { answerWaiting } from './answer-waiting.js';
import { Stores } from '../../stores.js';
import { SharedClock, type CallHead } from '#lib/transport';

/** Chat turns, and code, that rest with their calls. */
@Injectable()
export class WaitingTurns {
  constructor(
    private readonly stores: Stores,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  /**
   * Lets the turn go on that has made a call, where it rests for what was asked about it; and then a turn that rests because that one does. Telling
   * it twice does nothing more. Rejects when Redis is away.
   */
  async tell(inputRequest: string, { turnId, byCode }: Pick<Caller, 'turnId' | 'byCode'>): Promise<void> {
    if (turnId === undefined) return;
    const { store, catalog, log } = this.stores;
    const contractOf = ({ tool, version }: CallHead) => catalog.find(tool, version);
    await answerWaiting(
      { store, contractOf, log, now: this.clock.now },
      { hook: { jobId: turnId, name: inputWait(inputRequest) }, data: null },
    );
    // Code is within no other code, so this goes no deeper.
    const code = byCode ? await store.read(turnId) : null;
    if (code && !code.head.caller.byCode) await this.tell(inputRequest, code.head.caller);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { inputWait, type Caller, type Catalog } from '#lib/contracts';
import { answerWaiting, type AnsweringParts } from './answer-waiting.js';
import { Stores } from '../../stores.js';
import { SharedClock } from '#lib/transport';

/** Chat turns, and code, that rest with their calls. */
@Injectable()
export class WaitingTurns {
  readonly #parts: AnsweringParts;

  constructor(
    @Inject(Stores) { store, catalog, log }: Pick<AnsweringParts, 'store' | 'log'> & { readonly catalog: Pick<Catalog, 'find'> },
    @Inject(SharedClock) { now }: Pick<SharedClock, 'now'>,
  ) {
    this.#parts = { store, contractOf: ({ tool, version }) => catalog.find(tool, version), log, now };
  }

  /**
   * Lets the turn go on that has made a call, where it rests for what was asked about it; and then a turn that rests because that one does. Telling
   * it twice does nothing more. Rejects when Redis is away.
   */
  async tell(inputRequest: string, { turnId, byCode }: Pick<Caller, 'turnId' | 'byCode'>): Promise<void> {
    if (turnId === undefined) return;
    await answerWaiting(this.#parts, { hook: { jobId: turnId, name: inputWait(inputRequest) }, data: null });
    // Code is within no other code, so this goes no deeper.
    const code = byCode ? await this.#parts.store.read(turnId) : null;
    if (code && !code.head.caller.byCode) await this.tell(inputRequest, code.head.caller);
  }
}

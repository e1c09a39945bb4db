import { inputWait, type Caller } from '#lib/contracts';
import { answerWaiting, type AnsweringParts } from './answer-waiting.js';

/** Chat turns that rest with their calls. */
export class WaitingTurns {
  readonly #parts: AnsweringParts;

  constructor(parts: AnsweringParts) {
    this.#parts = parts;
  }

  /**
   * Lets the turn go on that has made a call, where it rests for what was asked about it. Telling it twice does nothing more. Rejects when Redis
   * is away.
   */
  async tell(inputRequest: string, { turnId }: Pick<Caller, 'turnId'>): Promise<void> {
    if (turnId !== undefined) await answerWaiting(this.#parts, { hook: { jobId: turnId, name: inputWait(inputRequest) }, data: null });
  }
}

import { Injectable } from '@nestjs/common';
import { Refusal, type Decision, type HookName } from '#lib/contracts';
import type { CallHead } from '#lib/transport';
import { ToolDirectory } from '../calls/tool-directory.js';
import { answerWaiting } from '../calls/waiting/answer-waiting.js';
import { Stores } from '../stores.js';

/** What calls wait for: their hooks, as somebody outside calls them, and the answers to their questions. */
@Injectable()
export class Hooks {
  constructor(
    private readonly stores: Stores,
    private readonly tools: ToolDirectory,
  ) {}

  /** The hook of an address that we have signed. */
  find(token: string): HookName | null {
    return this.stores.hooks.keys.hookOf(token);
  }

  /**
   * Keeps what a hook was called with, or a question answered with, and wakes the call where it rests for it. Throws PAYLOAD_TOO_LARGE.
   * @param decision of the person who answers
   * @returns false when that was done before, nobody waits for it any more, or the call has ended
   */
  async answer(hook: HookName, data: unknown, decision?: Decision): Promise<boolean> {
    const { store, log, clock } = this.stores;
    const contractOf = (head: CallHead) => this.tools.contractOf(head);
    return answerWaiting({ store, contractOf, log, now: clock.now }, { hook, data, decision }).catch(refuseTooLarge);
  }
}

function refuseTooLarge(error: unknown): never {
  throw error instanceof RangeError ? new Refusal('PAYLOAD_TOO_LARGE', error.message) : error;
}

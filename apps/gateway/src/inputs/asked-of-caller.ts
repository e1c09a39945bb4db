import { Injectable } from '@nestjs/common';
import { Refusal, type Caller, type InputDecision, type InputRequest } from '#lib/contracts';
import { isInputId, type InputRow } from '../calls/waiting/input-row.js';
import { InputRequests } from './input-requests.js';
import { mayDecide } from './may-decide.js';

/** What a caller is asked about a call of their own, where they can answer it, in the place where they made it. */
@Injectable()
export class AskedOfCaller {
  constructor(private readonly inputs: InputRequests) {}

  /** Null for one that this caller may not see. */
  async find(caller: Caller, id: string): Promise<InputRow | null> {
    if (!isInputId(id)) return null;
    try {
      return await this.inputs.find(caller, id);
    } catch (error) {
      if (error instanceof Refusal && error.error.family === 'RESOURCE_NOT_FOUND') return null;
      throw error;
    }
  }

  /** The request as it is shown, and whether this caller may say yes to it; null for one that they may not see. */
  async shown(caller: Caller, id: string): Promise<{ readonly request: InputRequest; readonly mayAccept: boolean } | null> {
    const row = await this.find(caller, id);
    return row && { request: this.inputs.shown(row, caller), mayAccept: mayDecide(caller, row, 'accept') };
  }

  /**
   * Takes an answer. What somebody else has answered before, or nobody in time, is no fault: it is in what becomes of the call.
   * @returns why it cannot be taken; null where it is done
   */
  async answer(caller: Caller, id: string, decision: InputDecision): Promise<Refusal | null> {
    try {
      await this.inputs.decide(caller, id, decision);
      return null;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const { family } = error.error;
      return family === 'CONFLICT' || family === 'EXPIRED' ? null : error;
    }
  }
}

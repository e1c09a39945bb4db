import { Injectable } from '@nestjs/common';
import { Refusal, type Caller, type ReplaySelection } from '#lib/contracts';
import { Authenticator } from '../../callers/authenticator.js';
import { mostReplays, replaysAfter } from '../../calls/replays.js';
import { stored } from '../../http/stored.js';
import { type FailedCall, FailedCalls, type FailedSelection } from '../../records/failed-calls.js';
import { callPurpose, errorPurpose } from './batch-row.js';
import type { NewLine } from './batch-store.js';
import type { SealedCall } from './sealed-call.js';
import { Stores } from '../../stores.js';

/** Failed calls that are claimed at once. */
const mostTogether = 500;
const unreachable = 'The failed calls cannot be reached at the moment';

/** Makes lines of failed calls that are to be tried again. */
@Injectable()
export class BatchReplays {
  constructor(
    private readonly stores: Stores,
    private readonly failed: FailedCalls,
    private readonly authenticator: Authenticator,
  ) {}

  /** Whose calls they are, who calls them again too. Throws PERMISSION_DENIED for a user for whom the caller may not act. */
  async callerOf(caller: Caller, { user }: ReplaySelection): Promise<Caller> {
    return user === undefined || user === caller.userId ? caller : this.authenticator.actFor(caller, user);
  }

  /** How many there are. Throws as `callerOf` does. */
  async count(caller: Caller, selection: ReplaySelection): Promise<number> {
    const who = await this.callerOf(caller, selection);
    return stored(unreachable, () => this.failed.count(who, filterOf(selection)));
  }

  /** The lines of a batch, some at a time, up to so many. A call that cannot be tried again is a line that is wrong. */
  async *lines(
    who: Caller,
    selection: ReplaySelection,
    batch: { readonly id: string; readonly most: number },
  ): AsyncGenerator<readonly NewLine[]> {
    const { job_ids: ids } = selection;
    for (let n = 0; n < batch.most;) {
      const some = ids && [...new Set(ids)].slice(n, n + mostTogether);
      if (some?.length === 0) return;
      const most = Math.min(mostTogether, batch.most - n);
      const filter = filterOf({ ...selection, ...(some && { job_ids: some }) });
      const calls = await stored(unreachable, () => this.failed.claim(who, filter, { id: batch.id, most }));
      const found = new Map(calls.map((call) => [call.jobId, call]));
      const jobIds = some ?? [...found.keys()];
      if (jobIds.length === 0) return;
      yield jobIds.map((jobId, index) => this.#line(batch.id, { n: n + index, jobId, call: found.get(jobId) }));
      n += jobIds.length;
    }
  }

  /** The batch was not made: others may find its calls again. */
  async release(batchId: string): Promise<void> {
    await this.failed.release(batchId);
  }

  #line(
    batchId: string,
    { n, jobId, call }: { readonly n: number; readonly jobId: string; readonly call: FailedCall | undefined },
  ): NewLine {
    const { sealer } = this.stores;
    const line = { n, line_id: JSON.stringify(jobId) };
    const refusal = refusalOf(jobId, call);
    if (refusal || !call) {
      const error = sealer.sealText(JSON.stringify(refusal?.error), errorPurpose(batchId, n));
      return { ...line, tool: call?.toolName ?? '', call: null, state: 'failed', error };
    }
    const sealed: SealedCall = {
      input: call.input,
      options: { enable_cache: false },
      traceId: null,
      sessionId: call.sessionId,
      replay: { of: jobId, times: replaysAfter({ replayOf: jobId, replays: call.replays }) },
    };
    const text = sealer.sealText(JSON.stringify(sealed), callPurpose(batchId, n));
    // Of the version that ran, or one that takes the same parameters.
    return { ...line, tool: `${call.toolName}@^${call.toolVersion}`, call: text, state: 'waiting', error: null };
  }
}

function refusalOf(jobId: string, call: FailedCall | undefined): Refusal | null {
  if (!call) return new Refusal('RESOURCE_NOT_FOUND', `No failed call of yours is kept for the job ${jobId.slice(0, 200)}`);
  if (call.replays < mostReplays) return null;
  return new Refusal('CONFLICT', `The call is the last of ${mostReplays} replays in a row, the most that there may be; call its tool anew`);
}

function filterOf({ job_ids: jobIds, tool, code, from, to }: ReplaySelection): FailedSelection {
  return { jobIds, tool, code, from, to };
}

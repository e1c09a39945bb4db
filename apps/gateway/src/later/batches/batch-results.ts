import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { Refusal, toEnvelope, type Caller, type Envelope, type Language, type ToolError } from '#lib/contracts';
import { keptCaller } from '../../callers/kept-caller.js';
import { envelopeOf } from '../../calls/answer.js';
import { Calls } from '../../calls/calls.js';
import { answerIn } from '../../http/language.js';
import { stored } from '../../http/stored.js';
import { errorPurpose, type BatchRow, type LineRow } from './batch-row.js';
import { BatchStore } from './batch-store.js';
import { unreachable } from './batches.js';
import { Stores } from '../../stores.js';

/** Results that are read at once. */
const mostTogether = 100;
/** How often it is asked whether a call has begun that is waited for. */
const askAgainMs = 150;

/** One line of the results. */
export interface BatchResult extends Envelope {
  /** As its caller gave it; null where none was given. */
  readonly id: string | number | null;
  readonly index: number;
}

interface Reading {
  /** The number of a line, after which it begins. */
  readonly after: number;
  readonly signal: AbortSignal;
  readonly language: Language;
}

interface ReadBy extends Pick<Reading, 'language'> {
  readonly reader: Caller;
  readonly signal: AbortSignal | null;
}

const idShape = z.union([z.string(), z.number()]);

/** The results of a batch, in the order in which its calls were given. They are those of its calls' records. */
@Injectable()
export class BatchResults {
  constructor(
    private readonly stores: Stores,
    private readonly store: BatchStore,
    private readonly calls: Calls,
  ) {}

  /**
   * Results after a place, up to the first call that has not ended when the signal fires. The signal that has fired before waits for nothing.
   */
  async *read(row: BatchRow, { after, signal, language }: Reading): AsyncGenerator<BatchResult> {
    const reader = keptCaller.parse(row.maker);
    for (let last = after; ;) {
      const lines = await stored(unreachable, () => this.store.lines(row, last, mostTogether));
      if (lines.length === 0) return;
      const results = await Promise.all(lines.map(async (line) => this.#resultOf(line, row, { reader, language, signal: null })));
      const ready = results.findIndex((result) => result === null);
      for (const result of ready < 0 ? results : results.slice(0, ready)) if (result) yield result;
      last += ready < 0 ? lines.length : ready;
      const open = lines[ready];
      if (!open) continue;
      const result = await this.#resultOf(open, row, { reader, language, signal });
      if (result) {
        yield result;
        last++;
      } else if (signal.aborted) return;
      // It has no job to be followed yet.
      else await setTimeout(askAgainMs, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Null where it has not ended. @param signal up to which it is waited for */
  async #resultOf(line: LineRow, row: BatchRow, asked: ReadBy): Promise<BatchResult | null> {
    const envelope = line.jobId === null ? this.#refused(line, row, asked) : await this.#answered(line.jobId, line, asked);
    return envelope && { id: line.lineId === null ? null : idShape.parse(JSON.parse(line.lineId)), index: line.n, ...envelope };
  }

  async #answered(jobId: string, line: LineRow, { reader, signal, language }: ReadBy): Promise<Envelope | null> {
    try {
      using call = await this.calls.find(reader, jobId, null);
      const answer = await call.answer(signal);
      return answer && envelopeOf(answerIn(language, answer));
    } catch (error) {
      if (!(error instanceof Refusal) || error.error.family !== 'RESOURCE_NOT_FOUND') throw error;
      const message = `The call ended as ${line.state}; its result was kept for 24 hours`;
      return refusedEnvelope(line, new Refusal('RESULT_CONSUMED', message).error, { language, jobId });
    }
  }

  #refused(line: LineRow, row: BatchRow, asked: Pick<ReadBy, 'language'>): Envelope | null {
    if (line.error !== null) {
      const error: ToolError = JSON.parse(this.stores.sealer.openText(line.error, errorPurpose(row.id, line.n)));
      return refusedEnvelope(line, error, asked);
    }
    if (line.state !== 'cancelled') return null;
    return refusedEnvelope(line, new Refusal('CANCELLED', row.reason ?? 'The batch was cancelled').error, asked);
  }
}

function refusedEnvelope(
  { tool }: LineRow,
  error: ToolError,
  { language, jobId }: { readonly language: Language; readonly jobId?: string },
): Envelope {
  return toEnvelope(
    { ok: false, error },
    { toolName: tool, traceId: '', timestamp: Date.now(), language, ...(jobId !== undefined && { jobId }) },
  );
}

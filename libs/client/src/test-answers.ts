// For tests of the client: what a gateway writes, and how to read what the client gives.
import { InvoqError } from './invoq-error.js';

export const metadata = { tool_name: 'calc_metrics', timestamp: '2026-01-01T00:00:00.000Z', trace_id: 'trace_1' };
export const success = { success: true, status: 'success', data: { bmi: 22.86 }, metadata };

export function failure(code: string, error: object = {}, facts: object = {}) {
  return {
    success: false,
    status: 'error',
    error: { code, message: `it is ${code}`, retryable: false, hint: '', ...error },
    metadata: { ...metadata, ...facts },
  };
}

/** One event of a stream, as it is written. */
export function frame(event: string, seq: number, data: object): string {
  return `event: ${event}\nid: evt_${seq}\ndata: ${JSON.stringify(data)}\n\n`;
}

export function progressFrame(seq: number, progress: number): string {
  return frame('tool_progress', seq, { progress, message: `step ${seq}`, metadata });
}

export function resultFrame(seq: number): string {
  return frame('tool_result', seq, success);
}

/** The error that the work throws. */
export async function caught(work: Promise<unknown>): Promise<InvoqError> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof InvoqError)) throw new Error(`expected an InvoqError, got ${String(error)}`);
  return error;
}

export async function collect<Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

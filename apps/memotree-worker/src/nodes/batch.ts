import type { MemotreeErrorCode } from '#lib/contracts';
import { Rejection } from '../rejection.js';

interface ItemOutcome<Data> {
  readonly index: number;
  readonly success: boolean;
  readonly data?: Data;
  readonly errorCode?: MemotreeErrorCode;
  readonly message?: string;
}

export interface BatchOutcome<Data> {
  readonly succeeded: number;
  readonly failed: number;
  readonly results: ItemOutcome<Data>[];
}

/**
 * Runs items one after the other; each sees the effects of those before it. An item refuses before it writes, so a refused item leaves
 * nothing behind.
 * @param atomic the first refusal ends the batch; otherwise the other items go on
 * @throws Rejection of the first refused item if atomic, with its index
 */
export async function runBatch<Item, Data>(
  items: readonly Item[],
  { atomic, each }: { readonly atomic: boolean; readonly each: (item: Item) => Promise<Data> },
): Promise<BatchOutcome<Data>> {
  const results: ItemOutcome<Data>[] = [];
  for (const [index, item] of items.entries()) {
    try {
      results.push({ index, success: true, data: await each(item) });
    } catch (error) {
      if (!(error instanceof Rejection)) throw error;
      if (atomic) throw new Rejection(error.literal, `Item ${index}: ${error.message}. Nothing was changed`, { ...error.extra, index });
      results.push({ index, success: false, errorCode: error.literal, message: error.message });
    }
  }
  const succeeded = results.filter(({ success }) => success).length;
  return { succeeded, failed: results.length - succeeded, results };
}

export function batchMessage(what: string, { succeeded, failed }: BatchOutcome<unknown>): string {
  return failed === 0 ? `${what} ${succeeded} nodes` : `${what} ${succeeded} nodes; ${failed} were refused`;
}

export function batchWarnings({ results }: BatchOutcome<unknown>): readonly string[] {
  return results.flatMap(({ index, success, message }) => (success ? [] : [`Item ${index}: ${message ?? 'refused'}`]));
}

import type { Place } from './place.js';
import type { Row } from './row.js';

export interface RowResult {
  readonly of: Row;
  /** What was wrong; null when it held. */
  readonly fault: string | null;
  /** What was seen, in a few words; empty after a fault. */
  readonly seen: string;
  readonly ms: number;
}

/** Rows that are tried at the same time: as many programs of others start at once as two processors take. */
const atOnce = 2;

export async function runRows(rows: readonly Row[], place: Place, onResult: (result: RowResult) => void): Promise<readonly RowResult[]> {
  const waiting = [...rows];
  const results = new Map<Row, RowResult>();
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const result = await tryRow(next, place);
      results.set(next, result);
      onResult(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return rows.flatMap((row) => results.get(row) ?? []);
}

async function tryRow(of: Row, place: Place): Promise<RowResult> {
  const started = performance.now();
  const { fault, seen } = await of.attempt(place).then(
    (text) => ({ fault: null, seen: text }),
    (error: unknown) => ({ fault: error instanceof Error ? `${error.name}: ${error.message}` : String(error), seen: '' }),
  );
  return { of, fault, seen, ms: performance.now() - started };
}

import { Injectable } from '@nestjs/common';
import { setTimeout } from 'node:timers/promises';
import type { BatchRow } from './batch-row.js';
import { BatchStore } from './batch-store.js';

/** How often the batches that somebody follows are looked at: one look for all of them. */
const everyMs = 250;

/** Tells those who follow a batch how it stands. */
@Injectable()
export class BatchWatch {
  readonly #followed = new Map<string, number>();
  #look: Promise<ReadonlyMap<string, BatchRow>> | null = null;

  constructor(private readonly store: BatchStore) {}

  /** The batch as it stands, and after each change of it, until it has ended, is gone or the signal fires. Rejects when Postgres is away. */
  async *follow(row: BatchRow, signal: AbortSignal): AsyncGenerator<BatchRow> {
    this.#followed.set(row.id, (this.#followed.get(row.id) ?? 0) + 1);
    try {
      let last = row;
      yield row;
      while (!signal.aborted && last.finishedAt === null) {
        const next = (await this.#next()).get(row.id);
        if (!next || signal.aborted) return;
        if (isOther(next, last)) yield next;
        last = next;
      }
    } finally {
      const others = (this.#followed.get(row.id) ?? 1) - 1;
      if (others > 0) this.#followed.set(row.id, others);
      else this.#followed.delete(row.id);
    }
  }

  async #next(): Promise<ReadonlyMap<string, BatchRow>> {
    this.#look ??= this.#lookAtAll().finally(() => (this.#look = null));
    return this.#look;
  }

  async #lookAtAll(): Promise<ReadonlyMap<string, BatchRow>> {
    await setTimeout(everyMs, undefined, { ref: false });
    return new Map((await this.store.byIds([...this.#followed.keys()])).map((row) => [row.id, row]));
  }
}

const shownFields = ['state', 'total', 'active', 'resting', 'completed', 'failed', 'cancelled', 'reason'] as const;

function isOther(a: BatchRow, b: BatchRow): boolean {
  return shownFields.some((name) => a[name] !== b[name]);
}

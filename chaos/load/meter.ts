/** Collects the times of successful calls; gives the throughput and the time to recovery. */
export class Meter {
  readonly #at: number[] = [];

  /** @param at epoch ms */
  count(at: number): void {
    this.#at.push(at);
  }

  /** Calls a second between two times. */
  rate(from: number, to: number): number {
    return countBetween(this.#at, from, to) / ((to - from) / 1_000);
  }

  recovery(wanted: Omit<RecoveryQuestion, 'ends'>): number | null {
    return recoveryMs({ ...wanted, ends: this.#at });
  }
}

interface RecoveryQuestion {
  /** In order. */
  readonly ends: readonly number[];
  readonly healedAt: number;
  readonly now: number;
  /** Calls a second before the fault. */
  readonly baseline: number;
}

/** Long enough that delayed answers that all come at once do not count as recovered throughput. */
const windowMs = 2_000;
const stepMs = 100;
const share = 0.9;

/** From healed until two seconds began in which 90 % of the usual throughput was reached; null while there are none. */
export function recoveryMs({ ends, healedAt, now, baseline }: RecoveryQuestion): number | null {
  for (let from = healedAt; from + windowMs <= now; from += stepMs) {
    if (countBetween(ends, from, from + windowMs) >= share * baseline * (windowMs / 1_000)) return from - healedAt;
  }
  return null;
}

function countBetween(sorted: readonly number[], from: number, to: number): number {
  return place(sorted, to) - place(sorted, from);
}

/** How many are earlier than `at`. */
function place(sorted: readonly number[], at: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? Infinity) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

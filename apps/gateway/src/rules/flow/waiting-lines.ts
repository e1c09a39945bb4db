import { Injectable } from '@nestjs/common';
import type { WaitingLine, WaitingLineList } from '#lib/contracts';
import type { WaitingLine as LineInRedis } from '#lib/transport';
import { Stores } from '../../stores.js';

/** A flow whose lines are asked for. */
export interface LinedFlow extends Pick<WaitingLine, 'by'> {
  /** Its name in Redis. */
  readonly id: string;
  readonly name: string;
}

/** Lines that one question looks at. */
const mostLooked = 1_000;

/** The lines in which calls wait for each other, as they are now. */
@Injectable()
export class WaitingLines {
  constructor(private readonly stores: Stores) {}

  /** The longest lines of some flows, and how many there are. Rejects when Redis is away. */
  async of(flows: readonly LinedFlow[], limit: number): Promise<WaitingLineList> {
    const { flowLines: lines } = this.stores;
    if (flows.length === 0 || !(await lines.arePassed())) return { lines: [], total: 0 };
    const found = await lines.waitingIn(
      flows.map(({ id }) => id),
      mostLooked,
    );
    const longest = found.toSorted((one, other) => other.waiting - one.waiting || other.waitedMs - one.waitedMs).slice(0, limit);
    const known = new Map(flows.map((flow) => [flow.id, flow]));
    const told = await Promise.all(longest.map(async (line) => this.#told(line, known.get(flowOf(line)))));
    return { lines: told, total: found.length };
  }

  async #told({ line, held, waiting, first, waitedMs, concurrency, rate }: LineInRedis, flow: LinedFlow | undefined): Promise<WaitingLine> {
    const record = await this.stores.store.peek(first);
    return {
      flow: flow?.name ?? '',
      by: flow?.by ?? 'tenant',
      of: record?.head.lines?.find((one) => one.line === line)?.of ?? null,
      concurrency,
      rate: rate && { max: rate.max, per_ms: rate.perMs },
      running: held,
      waiting,
      first,
      since: new Date(this.stores.clock.now() - waitedMs).toISOString(),
    };
  }
}

/** A line is named by its flow and a hash of its key. */
function flowOf({ line }: Pick<LineInRedis, 'line'>): string {
  return line.slice(0, line.lastIndexOf('/'));
}

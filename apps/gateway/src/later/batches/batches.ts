import { Inject, Injectable } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import {
  invalidField,
  hasScope,
  mostBatchCalls,
  newBatch,
  parseOrRefuse,
  principal,
  Refusal,
  type Caller,
  type NewBatch,
} from '#lib/contracts';
import { toKeptCaller } from '../../callers/kept-caller.js';
import { stored } from '../../http/stored.js';
import { callPurpose, errorPurpose, type BatchRow } from './batch-row.js';
import { BatchReplays } from './batch-replays.js';
import { type BatchPlace, BatchStore, type NewLine } from './batch-store.js';
import type { Intake, ReadLine } from './intake.js';
import { Stores } from '../../stores.js';
import { BatchFeeder } from './batch-feeder.js';
import { SharedClock } from '#lib/transport';

export const unreachable = 'The batches cannot be reached at the moment';
const uuidShape = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** How a batch is asked for, besides its calls. */
export interface BatchRequest {
  readonly idempotencyKey: string | null;
  readonly ratePerS: number | undefined;
}

/** The batches of callers. Each is its owner's; administrators of the tenant may see and cancel it by its id. */
@Injectable()
export class Batches {
  constructor(
    private readonly stores: Stores,
    private readonly store: BatchStore,
    private readonly replays: BatchReplays,
    @Inject(BatchFeeder) private readonly feeder: Pick<BatchFeeder, 'nudge'>,
    @Inject(SharedClock) private readonly clock: Pick<SharedClock, 'now'>,
  ) {}

  /**
   * Stores the calls as they come in; they are called when all of them are there. Throws what `Intake.read` does, QUOTA_EXCEEDED,
   * IDEMPOTENCY_CONFLICT for a key of another body, and CONFLICT where the same request came again meanwhile.
   */
  async create(
    caller: Caller,
    intake: Intake,
    { idempotencyKey, ratePerS }: BatchRequest,
  ): Promise<{ readonly row: BatchRow; readonly replayed: boolean }> {
    const owner = principal(caller);
    const { tenantId } = caller;
    const known = idempotencyKey === null ? null : await stored(unreachable, () => this.store.byKey({ tenantId, owner }, idempotencyKey));
    if (known && known.state !== 'accepting') return { row: await replayed(known, intake, ratePerS), replayed: true };
    const data = { id: randomUUID(), tenantId, owner, idempotencyKey, createdAt: new Date(this.clock.now()), maker: toKeptCaller(caller) };
    const begun = await kept(() => this.store.begin(data));
    if (!begun) throw cameAgain();
    try {
      const row = await this.#readIn(begun, caller, { intake, asked: ratePerS });
      this.feeder.nudge();
      return { row, replayed: false };
    } catch (error) {
      // Where Postgres is away, whoever forgets old ones does.
      await this.store.giveUp(begun.id).catch(() => undefined);
      if (isReplay(intake.around)) await this.replays.release(begun.id).catch(() => undefined);
      throw error;
    }
  }

  /** How many failed calls a request would try again, which is not made. Throws INVALID_PARAMS for one that is none for that. */
  async countReplays(caller: Caller, intake: Intake): Promise<number> {
    for await (const _ of intake.read());
    const { replay } = bodyOf(intake);
    if (!replay) throw invalidField('dry_run', 'is for failed calls: the body must have replay');
    return this.replays.count(caller, replay);
  }

  async #readIn(
    { id, owner }: BatchRow,
    caller: Caller,
    { intake, asked }: { readonly intake: Intake; readonly asked: number | undefined },
  ): Promise<BatchRow> {
    const counts = { total: 0, failed: 0 };
    const add = async (lines: readonly NewLine[]): Promise<void> => {
      counts.total += lines.length;
      counts.failed += lines.filter(({ state }) => state === 'failed').length;
      if (!(await stored(unreachable, () => this.store.addLines(id, lines)))) throw cameAgain();
    };
    // Some are stored while the next ones are read.
    let adding = Promise.resolve();
    try {
      for await (const lines of intake.read()) {
        const sealed = lines.map((line) => this.#sealed(id, line));
        await adding;
        adding = add(sealed);
        // What fails meanwhile is told by the wait for it.
        adding.catch(() => undefined);
      }
    } finally {
      await adding;
    }
    const { replay, rate_per_s: ratePerS = asked } = bodyOf(intake);
    const who = replay ? await this.replays.callerOf(caller, replay) : caller;
    if (replay) for await (const lines of this.replays.lines(who, replay, { id, most: mostBatchCalls })) await add(lines);
    if (counts.total === 0)
      throw replay ? invalidField('replay', 'finds no failed call') : invalidField('calls', 'must have at least 1 call');
    const facts = { bytes: intake.bytes, fingerprint: fingerprintOf(intake, asked), ratePerS: ratePerS ?? null };
    const started = await stored(unreachable, () => this.store.start(owner, id, { ...facts, ...counts, maker: toKeptCaller(who) }));
    if (!started) throw cameAgain();
    return started;
  }

  #sealed(batchId: string, line: ReadLine): NewLine {
    const { sealer } = this.stores;
    const { n, lineId: line_id } = line;
    return 'error' in line
      ? { n, line_id, tool: '', call: null, state: 'failed', error: sealer.sealText(JSON.stringify(line.error), errorPurpose(batchId, n)) }
      : {
          n,
          line_id,
          tool: line.tool,
          call: sealer.sealText(JSON.stringify(line.call), callPurpose(batchId, n)),
          state: 'waiting',
          error: null,
        };
  }

  /** Throws RESOURCE_NOT_FOUND, the same for none and for one that the caller may not see. */
  async find(caller: Caller, id: string): Promise<BatchRow> {
    const row = uuidShape.test(id) ? await stored(unreachable, () => this.store.byId(id)) : null;
    if (row && row.tenantId === caller.tenantId && (isOwn(row, caller) || hasScope(caller, 'tenant:admin'))) return row;
    throw notFound();
  }

  /** The same for its results, which are its owner's alone. */
  async findOwn(caller: Caller, id: string): Promise<BatchRow> {
    const row = await this.find(caller, id);
    if (isOwn(row, caller)) return row;
    throw new Refusal('PERMISSION_DENIED', `The results of this batch are those of ${row.owner}`);
  }

  /** The caller's own, newest first. */
  async page(
    caller: Caller,
    state: BatchRow['state'] | undefined,
    page: { readonly after: BatchPlace | null; readonly most: number },
  ): Promise<readonly BatchRow[]> {
    const owner = { tenantId: caller.tenantId, owner: principal(caller) };
    return stored(unreachable, () => this.store.page(owner, state, page));
  }

  /** Its feeder cancels what has not ended. Throws CONFLICT for one that has ended. */
  async cancel(caller: Caller, row: BatchRow): Promise<BatchRow> {
    const who = principal(caller);
    const reason = who === row.owner ? 'The batch was cancelled by its caller' : `The batch was cancelled by ${who}`;
    await stored(unreachable, async () => (row.state === 'accepting' ? this.store.giveUp(row.id) : this.store.cancel(who, row.id, reason)));
    this.feeder.nudge();
    const now = await stored(unreachable, () => this.store.byId(row.id));
    if (!now) return { ...row, state: 'cancelled', reason };
    if (now.finishedAt) throw new Refusal('CONFLICT', `The batch has already ended: ${now.state}`);
    return now;
  }
}

function isReplay(around: unknown): boolean {
  return typeof around === 'object' && around !== null && 'replay' in around;
}

/** What a body has besides its calls, which were read before. Throws INVALID_PARAMS. */
function bodyOf({ around, lines }: Intake): NewBatch {
  const body = parseOrRefuse(newBatch, around ?? {});
  if (body.replay && lines > 0) throw invalidField('calls', 'must be given, or replay, and not both');
  return body;
}

function isOwn(row: BatchRow, caller: Caller): boolean {
  return row.tenantId === caller.tenantId && row.owner === principal(caller);
}

function notFound(): Refusal {
  return new Refusal('RESOURCE_NOT_FOUND', 'There is no such batch; see GET /batches');
}

/** The batch that the same request made before. Throws IDEMPOTENCY_CONFLICT for one of another body. */
async function replayed(known: BatchRow, intake: Intake, asked: number | undefined): Promise<BatchRow> {
  await intake.skip();
  if (fingerprintOf(intake, asked) === known.fingerprint) return known;
  throw new Refusal('IDEMPOTENCY_CONFLICT', 'This Idempotency-Key was used with another body');
}

function fingerprintOf({ fingerprint }: Intake, asked: number | undefined): string {
  return `${fingerprint} ${asked ?? ''}`;
}

function cameAgain(): Refusal {
  return new Refusal('CONFLICT', 'Another request with this Idempotency-Key makes this batch now; send it again later');
}

/** A refusal is no fault of the store. */
async function kept<Result>(work: () => Promise<Result>): Promise<Result> {
  const made = await stored(unreachable, () =>
    work().catch((error: unknown) => {
      if (error instanceof Refusal) return error;
      throw error;
    }),
  );
  if (made instanceof Refusal) throw made;
  return made;
}

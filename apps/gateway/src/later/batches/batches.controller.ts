import { Readable } from 'node:stream';
import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  invalidField,
  batchesQuery,
  batchResultsQuery,
  mostBatchBytes,
  newBatch,
  newBatchQuery,
  parseOrRefuse,
  principal,
  toJsonSchema,
  type Batch,
  type BatchPage,
  type DryRunCount,
  type StartedBatch,
} from '#lib/contracts';
import { TimeLimit } from '#lib/handlers';
import { callerOf } from '../../http/caller-of.js';
import { EventStreams } from '../../http/event-streams.js';
import { languageOf } from '../../http/language.js';
import { disconnected, queryOf } from '../../http/query.js';
import { Route, type RouteParameter } from '../../http/route.js';
import { streamedBodyOf } from '../../http/streamed-body.js';
import { Cursors } from '../../http/cursors.js';
import { Stores } from '../../stores.js';
import { BatchResults } from './batch-results.js';
import { batchLinks, shownBatch } from './batch-row.js';
import { BatchWatch } from './batch-watch.js';
import { Batches } from './batches.js';
import { Intake } from './intake.js';

const batchId: RouteParameter = ['path', 'id', 'Id of the batch.'];
const maxKey = 255;

/** Many calls that are given together, and made one after the other. */
@Controller('batches')
export class BatchesController {
  readonly #places: Cursors<{ readonly at: number; readonly id: string }>;

  constructor(
    private readonly batches: Batches,
    private readonly batchResults: BatchResults,
    private readonly watch: BatchWatch,
    private readonly streams: EventStreams,
    stores: Stores,
  ) {
    this.#places = new Cursors(stores.settings.SEALING_KEYS, z.strictObject({ at: z.number(), id: z.string() }));
  }

  @Route({
    maxBodyBytes: mostBatchBytes,
    streamsBody: true,
    docs: {
      id: 'createBatch',
      summary: 'Have up to 10,000 calls made, given as JSON or as NDJSON with a call in each line, or have failed calls tried again',
      tag: 'batches',
      parameters: [
        ['header', 'Idempotency-Key', 'The same key and body make the same batch.'],
        ['query', 'rate_per_s', 'Calls that begin in a second at the most, for NDJSON.'],
        ['query', 'dry_run', 'true, for failed calls: tells how many they are, with status 200, and makes no batch.'],
      ],
      body: toJsonSchema(newBatch, 'input'),
      status: 202,
    },
  })
  @Post()
  @HttpCode(202)
  async create(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<StartedBatch | DryRunCount> {
    const { rate_per_s: ratePerS, dry_run: isDry } = parseOrRefuse(newBatchQuery, queryOf(request));
    const idempotencyKey = keyOf(request);
    const intake = new Intake(streamedBodyOf(request));
    try {
      if (isDry === 'true') {
        const count = await this.batches.countReplays(callerOf(request), intake);
        void reply.status(200);
        return { count };
      }
      const { row, replayed } = await this.batches.create(callerOf(request), intake, { idempotencyKey, ratePerS });
      const links = batchLinks(row.id);
      void reply.headers({ location: links.self, ...(replayed && { 'idempotent-replayed': 'true' }) });
      const { batch_id, state, total } = shownBatch(row);
      return { batch_id, state, total, links };
    } finally {
      request.facts.taken.points += intake.points;
    }
  }

  @Route({
    docs: {
      id: 'listBatches',
      summary: 'Your batches, newest first',
      tag: 'batches',
      parameters: [
        ['query', 'state', 'Only batches in this state.'],
        ['query', 'cursor', 'next_cursor of the page before.'],
        ['query', 'limit', '1–100, 50 by default.'],
      ],
    },
  })
  @Get()
  async list(@Req() request: FastifyRequest): Promise<BatchPage> {
    const caller = callerOf(request);
    const { state, cursor, limit } = parseOrRefuse(batchesQuery, queryOf(request));
    const binding = JSON.stringify([principal(caller), 'batches', state ?? null]);
    const after = cursor === undefined ? null : this.#places.open(cursor, binding);
    const rows = await this.batches.page(caller, state, { after, most: limit + 1 });
    const shown = rows.slice(0, limit);
    const last = rows.length > limit ? shown.at(-1) : undefined;
    return {
      batches: shown.map(shownBatch),
      pagination: {
        has_more: last !== undefined,
        next_cursor: last ? this.#places.seal({ at: last.createdAt.getTime(), id: last.id }, binding) : null,
      },
    };
  }

  @Route({ docs: { id: 'getBatch', summary: 'How a batch stands', tag: 'batches', parameters: [batchId] } })
  @Get(':id')
  async one(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Batch> {
    return shownBatch(await this.batches.find(callerOf(request), id));
  }

  @Route({
    points: 5,
    docs: {
      id: 'readBatchResults',
      summary: 'The results in the order of the calls, one in a line, up to the first call that has not ended',
      tag: 'batches',
      parameters: [
        batchId,
        ['query', 'after', 'The index of the last result that was read.'],
        ['query', 'wait', 'Seconds to wait for calls that have not ended, 0–60.'],
      ],
      media: 'application/x-ndjson',
    },
  })
  @Get(':id/results')
  async results(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const { after, wait } = parseOrRefuse(batchResultsQuery, queryOf(request));
    const row = await this.batches.findOwn(callerOf(request), id);
    const limit = new TimeLimit(wait * 1_000, disconnected(reply));
    if (wait === 0) limit.abort(new Error('nobody waits'));
    const results = this.batchResults.read(row, { after, signal: limit.signal, language: languageOf(request) });
    // What cannot be read at all is an error, and no empty list.
    const first = await results.next();
    async function* lines(): AsyncGenerator<string> {
      try {
        if (first.done !== true) yield `${JSON.stringify(first.value)}\n`;
        for await (const result of results) yield `${JSON.stringify(result)}\n`;
      } finally {
        limit[Symbol.dispose]();
      }
    }
    await reply.type('application/x-ndjson; charset=utf-8').send(Readable.from(lines()));
  }

  @Route({
    docs: {
      id: 'followBatch',
      summary: 'How a batch stands, as the event `batch` at once and after each change, until it has ended',
      tag: 'batches',
      parameters: [batchId],
      media: 'text/event-stream',
    },
  })
  @Get(':id/events')
  async events(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
    const row = await this.batches.find(callerOf(request), id);
    using stream = this.streams.open(request, reply);
    for await (const next of this.watch.follow(row, stream.gone)) {
      // Each has all that is shown, so no event needs an id to go on from.
      stream.sendFrames([{ event: 'batch', data: JSON.stringify(shownBatch(next)) }], 'batch');
      await stream.drained();
    }
  }

  @Route({
    docs: {
      id: 'cancelBatch',
      summary: 'Cancel the calls of a batch that have not ended',
      tag: 'batches',
      parameters: [batchId],
      status: 202,
    },
  })
  @Delete(':id')
  @HttpCode(202)
  async cancel(@Req() request: FastifyRequest, @Param('id') id: string): Promise<Batch> {
    const caller = callerOf(request);
    return shownBatch(await this.batches.cancel(caller, await this.batches.find(caller, id)));
  }
}

/** Throws INVALID_PARAMS. */
function keyOf({ headers }: FastifyRequest): string | null {
  const key = headers['idempotency-key'];
  if (key === undefined) return null;
  if (typeof key === 'string' && key.length <= maxKey && /^[\x20-\x7e]+$/.test(key)) return key;
  throw invalidField('Idempotency-Key', `must have 1–${maxKey} printable ASCII characters`);
}

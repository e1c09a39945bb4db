// F46: a batch of effects, while the gateways that feed it are killed one after the other. Each call is made once.
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { batch, startedBatch, type Batch } from '#lib/contracts';
import { eventually, HttpCaller } from '#lib/testing';
import { labEffect } from '../../test/lab/contracts/lab-effect.js';
import type { CallPlan } from '../load/plans.js';
import { parseEnvelope, type AnswerEnvelope } from '../load/wire.js';
import type { Fault, Injected, Scene } from './fault.js';

const calls = 2_000;
const kills = 4;
/** Calls that end between two kills, at least. */
const between = 150;
/** So long an effect takes: beside the load, a batch of quicker calls has few under way, and a kill would strike one or two. */
const effectMs = 150;
/** Whose batch it is. */
const user = 'batch';

const line = z.looseObject({ id: z.string(), index: z.number() });

export const batchFaults: readonly Fault[] = [
  {
    id: 'F46.feeder',
    title: 'gateways kill -9, one after the other, in the middle of a batch',
    inject: async (scene) => strike('gateway', scene),
  },
  // Two deaths of workers may strike one call, of the batch or a stream that goes on meanwhile.
  {
    id: 'F46.worker',
    title: 'a worker kill -9 in the middle of a batch',
    inject: async (scene) => strike('worker', scene),
    mayFail: ['async', 'stream'],
  },
];

async function strike(what: 'gateway' | 'worker', { lab, load, client, random }: Scene): Promise<Injected> {
  const { gateways, workers } = lab.system;
  const at = (index: number): HttpCaller => new HttpCaller(gateways[index % gateways.length]?.url ?? '', client.apiKeyOf({ user }));
  const waiting = new Map<string, (envelope: AnswerEnvelope) => void>();
  // The calls are those of clients who wait for the results of the batch.
  const burst = load.burst(Array.from({ length: calls }, () => lineOf(waiting)));
  for (const { id } of burst) lab.ledger.script(id, { kind: 'delay', ms: effectMs });
  const lines = burst.map(({ id }) => JSON.stringify({ id, name: labEffect.name, arguments: { order: id } }));
  const headers = { 'content-type': 'application/x-ndjson' };
  const posted = await at(0).request('/batches', { method: 'POST', raw: lines.join('\n'), headers });
  const { batch_id: id } = posted.as(startedBatch);
  const shown = async (): Promise<Batch | null> => {
    for (let index = 0; index < gateways.length; index++) {
      const reply = await at(index)
        .get(`/batches/${id}`)
        .catch(() => null);
      if (reply?.status === 200) return reply.as(batch);
    }
    return null;
  };
  const done = async (): Promise<number> => {
    const row = await shown();
    return row ? row.completed + row.failed + row.cancelled : 0;
  };
  const injectedAt = Date.now();
  let hit = 0;
  for (let kill = 0; kill < kills; kill++) {
    const before = await done();
    const enough = async (): Promise<boolean> => (await done()) >= Math.min(before + between, calls - 1);
    await eventually(enough, { withinMs: 120_000, what: 'calls of the batch' });
    await sleep(random.integer(0, 120));
    hit += (await shown())?.active ?? 0;
    const victim = what === 'gateway' ? gateways[kill % gateways.length] : workers[kill % workers.length];
    await victim?.kill();
    await victim?.start();
  }
  const over = async (): Promise<Batch | null> => {
    const row = await shown();
    return row?.finished_at ? row : null;
  };
  const last = await eventually(over, { withinMs: 240_000, what: 'the end of the batch' });
  const findings: string[] = [];
  const succeeded = what === 'gateway' ? last.completed : last.completed + last.failed;
  if (last.state !== 'completed' || succeeded !== calls) findings.push(`the batch ended as ${JSON.stringify(last)}`);
  const results = (await at(0).get(`/batches/${id}/results`)).text.split('\n').filter(Boolean);
  if (results.length !== calls) findings.push(`${results.length} of ${calls} results`);
  for (const text of results) {
    const { id: order, index: _, ...body } = line.parse(JSON.parse(text));
    const envelope = parseEnvelope(body);
    if (envelope) waiting.get(order)?.(envelope);
  }
  await eventually(() => burst.every(({ endedAt }) => endedAt !== null), { withinMs: 30_000, what: 'all results' });
  const { length } = burst.filter(({ id: order, isOk }) => lab.ledger.of(order).effects.length !== 1 && (isOk || what === 'gateway'));
  if (length > 0) findings.push(`${length} calls have not one effect`);
  return { injectedAt, healedAt: Date.now(), hit, findings };
}

function lineOf(waiting: Map<string, (envelope: AnswerEnvelope) => void>): CallPlan {
  return {
    kind: 'async',
    user,
    run: async ({ log }) => {
      log.ending('poll', await new Promise<AnswerEnvelope>((resolve) => waiting.set(log.id, resolve)));
      log.end();
    },
  };
}

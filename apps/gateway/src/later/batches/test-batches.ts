// Batches of gateways in the process of their test.
import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { batch, startedBatch, type Batch, type Outcome } from '#lib/contracts';
import { eventually, newNamespace, type HttpCaller, type Reply } from '#lib/testing';
import { startTestGateway, type TestAttempt } from '../../test-gateway.js';

const sealingKeys = `k1:${randomBytes(32).toString('base64')}`;
const ordered = z.looseObject({ order: z.string() });

export const batchResult = z.looseObject({
  id: z.union([z.string(), z.number()]).nullable(),
  index: z.number(),
  success: z.boolean(),
  data: z.unknown().optional(),
  error: z.looseObject({ code: z.string(), message: z.string() }).optional(),
});

/**
 * Orders that begin with `open` stay open, and those that begin with `bad` are refused. `made` has each order as often as it was made.
 * @param beside the namespace of another gateway, which has the worker
 */
export async function startBatching(beside?: string, settings: Readonly<Record<string, string>> = {}) {
  const namespace = beside ?? newNamespace();
  const made: string[] = [];
  const handler = ({ head }: TestAttempt): Outcome | null => {
    const { order } = ordered.parse(head.input);
    made.push(order);
    if (order.startsWith('open')) return null;
    return order.startsWith('bad')
      ? { ok: false, error: { code: 'SOLD_OUT', family: 'RESOURCE_NOT_FOUND', message: 'Sold out' } }
      : { ok: true, data: { made: order } };
  };
  const gateway = await startTestGateway({
    namespace,
    settings: { SEALING_KEYS: sealingKeys, ...settings },
    handler: beside === undefined ? handler : null,
  });
  return Object.assign(gateway, { namespace, made });
}
export type Batching = Awaited<ReturnType<typeof startBatching>>;

export const orderOf = (order: string, more: object = {}): object => ({ name: 'test_plain', arguments: { order }, ...more });

export async function postLines(
  by: HttpCaller,
  lines: readonly (object | string)[],
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const raw = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');
  return by.request('/batches', { method: 'POST', raw, headers: { 'content-type': 'application/x-ndjson', ...headers } });
}

/** The id of a new batch. */
export async function started(reply: Promise<Reply>): Promise<string> {
  const { status, text, as } = await reply;
  if (status !== 202) throw new Error(`${status} ${text}`);
  return as(startedBatch).batch_id;
}

export async function shownOf(by: HttpCaller, id: string): Promise<Batch> {
  return (await by.get(`/batches/${id}`)).as(batch);
}

/** The batch once it has ended. */
export async function ended(by: HttpCaller, id: string, withinMs = 20_000): Promise<Batch> {
  return eventually(
    async () => {
      const shown = await shownOf(by, id);
      return shown.finished_at !== null && shown;
    },
    { withinMs, what: `the end of batch ${id}` },
  );
}

export async function resultsOf(by: HttpCaller, id: string, query = ''): Promise<z.output<typeof batchResult>[]> {
  const reply = await by.get(`/batches/${id}/results${query}`);
  if (reply.status !== 200) throw new Error(`${reply.status} ${reply.text}`);
  return reply.text
    .split('\n')
    .filter(Boolean)
    .map((line) => batchResult.parse(JSON.parse(line)));
}

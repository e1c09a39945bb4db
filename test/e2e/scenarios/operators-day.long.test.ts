// A bad day of an operator, from the first failed call to the audit of it: docs/how-to/a-bad-day.md has the same steps as commands.
// DAY_CALLS=200 makes it a shorter day.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import {
  auditPage,
  batch,
  budget,
  callSums,
  defineTool,
  dryRunCount,
  pause,
  startedBatch,
  webhookWithSecret,
  type WebhookEventType,
} from '#lib/contracts';
import { Failure, handle, serve } from '#lib/serve';
import { acceptedShape, eventually, startSystem, startTimeoutMs, type HttpCaller, type Reply, type System } from '#lib/testing';
import { TestReceiver } from '../../../apps/gateway/src/webhooks/test-receiver.js';

/** Calls that fail while the upstream is down. */
const failing = Number(process.env['DAY_CALLS'] ?? 2_000);
/** Calls a second that the upstream bears when it is back. */
const rate = Number(process.env['DAY_RATE'] ?? 20);
const held = 10;
/** Calls for which the budget has room when all of them have run, and how many callers ask then. */
const left = 3;
const late = 8;
const priceMicros = 1_000;
const limitMicros = (1 + failing + held + failing + left) * priceMicros;
/** What waits for an alert, for the replays, or for the history of them all. */
const withinMs = 60_000 + (failing / rate) * 2_000;

const contract = defineTool({
  name: 'reserve_seat',
  version: '1.0.0',
  title: 'Reserve',
  description: 'Reserve one seat at the upstream.',
  domain: 'own-seats',
  effect: 'write',
  input: z.strictObject({ seat: z.string().describe('Which seat.') }),
  output: z.strictObject({ reserved: z.string() }),
  errors: {},
  timeoutMs: 10_000,
  retry: { network: { times: 1, baseMs: 50 } },
  cost: { micros: priceMicros },
  estimatedTokens: 10,
  examples: [{ input: { seat: 'A1' }, output: { reserved: 'A1' } }],
});

/** A service of somebody else. While it is off, nobody listens at its port. */
class Upstream {
  /** The seats in the order in which they were asked for, each with its time in ms. */
  readonly asked: { readonly seat: string; readonly at: number }[] = [];
  #server: Server | undefined;
  #port = 0;

  async reserve(seat: string): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#port}/${encodeURIComponent(seat)}`).catch((cause: unknown) => {
      throw new Failure('network', 'the upstream cannot be reached', { cause });
    });
    return response.text();
  }

  async switchOn(): Promise<void> {
    this.#server = createServer((request, response) => {
      const seat = decodeURIComponent((request.url ?? '').slice(1));
      this.asked.push({ seat, at: performance.now() });
      response.writeHead(200, { connection: 'close' }).end(seat);
    }).listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.#port = typeof address === 'object' && address ? address.port : 0;
  }

  async switchOff(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  }
}

const started = new AsyncDisposableStack();
const upstream = new Upstream();
let receiver: TestReceiver;
let system: System;
/** What makes the calls, and tries them again. */
let app: HttpCaller;
/** Who is told, pauses, bounds and reads. */
let operator: HttpCaller;

beforeAll(async () => {
  await upstream.switchOn();
  started.defer(async () => upstream.switchOff());
  receiver = started.use(await TestReceiver.start());
  system = started.use(await startSystem({}));
  app = await system.caller({ userId: null, tier: 'vip' });
  operator = await system.caller({ userId: null, tier: 'vip', scopes: ['tenant:admin', 'webhooks'] });
  const isServing = Promise.withResolvers<void>();
  const worker = serve({
    tools: [handle(contract, async ({ seat }) => ({ reserved: await upstream.reserve(seat) }))],
    url: system.gateway.url,
    key: await system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true }),
    domain: 'seats',
    concurrency: 32,
    stopsOnSignal: false,
    onEvent: ({ kind }) => kind === 'serving' && isServing.resolve(),
  });
  started.defer(async () => worker.stop());
  await Promise.race([isServing.promise, worker.stopped]);
}, startTimeoutMs);
afterAll(async () => started.disposeAsync());

const refusal = z.looseObject({
  error: z.looseObject({ code: z.string(), message: z.string() }),
  metadata: z.looseObject({ job_id: z.string().optional() }),
});
const job = z.looseObject({ state: z.string() });
const replayed = z.looseObject({ id: z.string(), success: z.literal(true), metadata: z.looseObject({ job_id: z.string() }) });
const reserve = async (seat: string, headers = {}): Promise<Reply> => app.post('/tools/reserve_seat', { seat }, headers);
const put = async (path: string, json: object) => operator.request(path, { method: 'PUT', json });
const told = async (type: WebhookEventType) =>
  eventually(() => receiver.received.find((one) => one.type === type), { withinMs, what: `a delivery of ${type}` });
const spent = async () => (await operator.get('/budgets/seats')).as(budget).spent;

/** Makes calls, 32 at a time, and gives their answers in the order of the names. */
async function reserveAll(seats: readonly string[]): Promise<readonly Reply[]> {
  const replies = new Map<string, Reply>();
  const open = seats.values();
  await Promise.all(
    Array.from({ length: 32 }, async () => {
      for (const seat of open) replies.set(seat, await reserve(seat));
    }),
  );
  return seats.flatMap((seat) => replies.get(seat) ?? []);
}

/** Most seats that were asked for within a second. */
function busiestSecond(times: readonly number[]): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1_000).length));
}

const seatsOf = (kind: string, count: number) => Array.from({ length: count }, (_, index) => `${kind} ${index + 1}`);

test(
  'A bad day: an alert, a pause, the upstream back, the failed calls again at a bounded rate, a budget that holds, and the audit',
  async () => {
    const begin = performance.now();
    const say = (what: string) => process.stdout.write(`${((performance.now() - begin) / 1_000).toFixed(1).padStart(6)} s  ${what}\n`);

    const { id: webhookId, secret } = (
      await operator.post('/webhooks', { url: receiver.url, events: ['tool.failing', 'budget.exceeded', 'batch.completed'] })
    ).as(webhookWithSecret);
    // No midnight of this zone is near.
    const zone = new Date().getUTCHours() < 12 ? 'UTC' : 'Etc/GMT+12';
    const bound = await put('/budgets/seats', { tool: 'reserve_seat', period: 'day', time_zone: zone, limit_micros: limitMicros });
    expect(bound.status).toBe(201);
    expect((await reserve('morning')).status).toBe(200);
    say('the webhook and the budget are made, and a call works');

    await upstream.switchOff();
    const failures = await reserveAll(seatsOf('seat', failing));
    const refusals = failures.map((reply) => reply.as(refusal));
    expect(new Set(refusals.map(({ error }) => error.code))).toEqual(new Set(['NETWORK_ERROR']));
    say(`the upstream is down: ${failures.length} calls have failed`);

    const alert = await told('tool.failing');
    expect(TestReceiver.verify(secret, alert)).toMatchObject({
      type: 'tool.failing',
      data: { tool_name: 'reserve_seat', code: 'NETWORK_ERROR' },
    });
    say(`the alert is there: ${String(alert.data['failed'])} of ${String(alert.data['calls'])} calls failed`);

    const reason = 'The upstream is down';
    expect((await put('/pauses/upstream', { tool: 'reserve_seat', reason })).status).toBe(201);
    say('the tool is paused');

    const waiting = await Promise.all(
      seatsOf('held', held).map(async (seat) => (await reserve(seat, { prefer: 'respond-async' })).as(acceptedShape)),
    );
    for (const { state, rest } of waiting)
      expect({ state, rest }).toMatchObject({ state: 'resting', rest: { reason: 'paused', pause: { name: 'upstream', reason } } });
    await eventually(async () => (await operator.get('/pauses/upstream')).as(pause).waiting === held, {
      withinMs,
      what: 'the count of a pause',
    });
    say(`${held} more calls are accepted, and wait`);

    await upstream.switchOn();
    expect(upstream.asked.map(({ seat }) => seat)).toEqual(['morning']);
    say('the upstream is back, and nothing has reached it meanwhile');

    expect((await operator.delete('/pauses/upstream')).status).toBe(200);
    for (const { job_id } of waiting) expect((await app.get(`/jobs/${job_id}?wait=30`)).as(job).state).toBe('completed');
    expect(upstream.asked).toHaveLength(1 + held);
    say('the pause is lifted, and what waited has ended');

    const selection = { replay: { tool: 'reserve_seat', code: 'NETWORK_ERROR' } };
    const failed = async () => (await app.post('/batches?dry_run=true', selection)).as(dryRunCount).count;
    await eventually(async () => (await failed()) === failing, { withinMs, what: 'the count of failed calls' });
    const from = performance.now();
    const { batch_id } = (await app.post('/batches', { ...selection, rate_per_s: rate })).as(startedBatch);
    say(`${failing} failed calls are tried again, ${rate} a second`);
    const again = await eventually(
      async () => {
        const shown = (await app.get(`/batches/${batch_id}`)).as(batch);
        return shown.finished_at !== null && shown;
      },
      { withinMs, what: 'the end of the replays' },
    );
    expect(again).toMatchObject({ state: 'completed', total: failing, completed: failing, failed: 0 });
    const results = (await app.get(`/batches/${batch_id}/results`)).text.trim().split('\n');
    const ends = results.map((line) => replayed.parse(JSON.parse(line)));
    expect(ends).toHaveLength(failing);
    expect(new Set(ends.map(({ id }) => id))).toEqual(new Set(refusals.map(({ metadata }) => metadata.job_id)));
    expect((await app.get(`/jobs/${ends[0]?.metadata.job_id}`)).body).toMatchObject({ state: 'completed', replay_of: ends[0]?.id });
    const reached = upstream.asked.slice(1 + held);
    expect(reached.map(({ seat }) => seat).toSorted()).toEqual(seatsOf('seat', failing).toSorted());
    // A busy machine lets calls come late, and never early. Timers may be a little early.
    const early = reached.filter(({ at }, index) => at - from < index * (1_000 / rate) * 0.95);
    expect(early).toEqual([]);
    const seconds = ((reached.at(-1)?.at ?? 0) - from) / 1_000;
    expect(await failed()).toBe(0);
    expect(TestReceiver.verify(secret, await told('batch.completed'))).toMatchObject({ data: { batch_id } });
    const most = busiestSecond(reached.map(({ at }) => at));
    say(`all have ended, each once, in ${seconds.toFixed(1)} s, at most ${most} within a second`);

    const answers = await reserveAll(seatsOf('late', late));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.map(({ status }) => status)).toEqual(Array.from({ length: late - left }, () => 429));
    const { error } = refused[0]?.as(refusal) ?? {};
    expect(error).toMatchObject({
      code: 'QUOTA_EXCEEDED',
      message: expect.stringContaining("The budget 'seats' of your tenant is used up for this day"),
    });
    expect(TestReceiver.verify(secret, await told('budget.exceeded'))).toMatchObject({ data: { budget: 'seats' } });
    say(`the budget lets ${left} more calls run, and refuses ${late - left}: ${error?.message ?? ''}`);

    const ran = limitMicros / priceMicros;
    await eventually(async () => (await spent()).reserved_micros === 0, { withinMs });
    expect(await spent()).toMatchObject({ micros: limitMicros, calls: ran, reserved_calls: 0 });
    const sumOf = async () => (await operator.get('/usage/calls?scope=tenant&by=tool&tool=reserve_seat')).as(callSums).sums[0];
    const sum = await eventually(async () => ((await sumOf())?.calls === ran ? sumOf() : null), {
      withinMs,
      what: 'the sums of all calls',
    });
    expect(sum).toMatchObject({ calls: ran, failed: failing, completed: ran - failing, cost_micros: limitMicros });
    say(`the sum of the budget is that of the ${ran} calls that ran: ${(limitMicros / 1_000_000).toFixed(3)} US dollars`);

    const { events } = (await operator.get('/audit?limit=1000')).as(auditPage);
    const acts = ['webhook.insert', 'budget.insert', 'pause.insert', 'pause.delete', 'batch.update'];
    const story = events.toReversed().filter(({ action }) => acts.includes(action));
    for (const { at, action, subject, actor } of story) say(`audit: ${at} ${action} ${subject} by ${actor ?? 'nobody'}`);
    expect(story.map(({ action, subject }) => [action, subject])).toEqual([
      ['webhook.insert', webhookId],
      ['budget.insert', 'seats'],
      ['pause.insert', 'upstream'],
      ['pause.delete', 'upstream'],
      ['batch.update', batch_id],
    ]);
    const actors = story.map(({ actor }) => actor);
    expect(new Set(actors.slice(0, 4)).size).toBe(1);
    expect(actors[4]).not.toBe(actors[0]);
    expect(story[2]).toMatchObject({ facts: { reason } });
  },
  withinMs * 4,
);

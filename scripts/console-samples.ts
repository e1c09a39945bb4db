// What the pictures of the console show besides calls: made before they are taken, and taken away afterwards.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Invoq } from '#lib/client';
import type { RunningProduct } from './running-console.js';

const heavy = { height_cm: 180, weight_kg: 250, age: 30, gender: 'male', activity_level: 'moderate' };

export interface Samples extends AsyncDisposable {
  readonly scheduleId: string;
  readonly batchId: string;
  readonly webhookId: string;
}

/** Throws InvoqError. */
export async function makeSamples({ url, adminKey, userKey }: RunningProduct): Promise<Samples> {
  const admin = new Invoq({ url, key: adminKey });
  const user = new Invoq({ url, key: userKey });
  await using made = new AsyncDisposableStack();
  const later = (undo: () => Promise<unknown>) =>
    made.defer(async () => {
      await undo();
    });

  await admin.policies.put('heavy', {
    when: 'tool.name == "calc_metrics" && args.weight_kg > 200.0',
    then: 'ask',
    message: 'Is this weight right?',
  });
  later(() => admin.policies.delete('heavy'));
  await admin.policies.put('no-night-links', {
    when: 'tool.name.startsWith("express_") && now.getHours() < 6',
    then: 'deny',
    message: 'Not at night.',
  });
  later(() => admin.policies.delete('no-night-links'));
  for (const weight of [250, 290]) {
    const { job_id: jobId } = await user.start('calc_metrics', { ...heavy, weight_kg: weight });
    if (jobId !== null) later(() => user.cancel(jobId).catch(() => undefined));
  }

  // The first call takes the only beginning of an hour, and the others wait.
  await admin.flows.put('profiles', { tool: 'user_profile_lookup', key: 'args.user_id', rate: { max: 1, per_ms: 3_600_000 } });
  later(() => admin.flows.delete('profiles'));
  for (const user_id of ['user_001', 'user_001', 'user_001', 'user_002', 'user_002']) {
    const { job_id: jobId } = await admin.start('user_profile_lookup', { user_id });
    if (jobId !== null) later(() => admin.cancel(jobId).catch(() => undefined));
  }

  await admin.budgets.put('weather', { period: 'day', tool: 'get_weather', limit_calls: 200 });
  later(() => admin.budgets.delete('weather'));
  await admin.budgets.put('support', { period: 'month', time_zone: 'Europe/Berlin', user: 'user_001', limit_micros: 50_000_000 });
  later(() => admin.budgets.delete('support'));

  const receiver = createServer((request, response) => {
    request.resume();
    response.writeHead(204).end();
  }).listen(0, '127.0.0.1');
  made.defer(() => void receiver.close());
  await new Promise((resolve) => receiver.once('listening', resolve));
  const address: AddressInfo | string | null = receiver.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const webhook = await admin.webhooks.create({
    url: `http://127.0.0.1:${port}/invoq`,
    events: ['call.failed', 'input.requested', 'batch.completed'],
  });
  later(() => admin.webhooks.delete(webhook.id));
  await admin.webhooks.test(webhook.id);

  const weekdays = {
    name: 'weekday-weather',
    tool: 'get_weather',
    arguments: { location: 'Berlin' },
    cron: '30 7 * * MON-FRI',
    time_zone: 'Europe/Berlin',
  };
  const schedule = await admin.schedules.create(weekdays);
  later(() => admin.schedules.delete(schedule.id));
  await admin.schedules.run(schedule.id);
  const report = await admin.schedules.create({
    name: 'hourly-check',
    tool: 'get_weather',
    arguments: { location: 'Beijing' },
    every_ms: 3_600_000,
    paused: true,
  });
  later(() => admin.schedules.delete(report.id));

  const calls = Array.from({ length: 40 }, (_, index) => ({
    id: `row-${index + 1}`,
    name: 'get_weather',
    arguments: { location: index % 7 === 3 ? 'Nowhere' : 'Beijing' },
  }));
  const batch = await admin.batches.create(calls);
  for await (const next of admin.batches.follow(batch.batch_id)) if (next.finished_at !== null) break;

  const kept = made.move();
  return {
    scheduleId: schedule.id,
    batchId: batch.batch_id,
    webhookId: webhook.id,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

import { print, printError, UsageError } from '#lib/command-line';
import { defineCommand, oneOf } from './command.js';
import { connect } from './connect.js';
import { limitOption, readPages } from './past/read-pages.js';
import { printTable } from './past/table.js';

const notes = 'Needs a key with the scope webhooks: INVOQ_API_KEY.';
const json = { type: 'boolean', help: 'as JSON' } as const;
const mostOfPage = 100;
const events = [
  'call.completed',
  'call.failed',
  'call.cancelled',
  'call.resting',
  'input.requested',
  'input.decided',
  'batch.completed',
  'budget.warning',
  'budget.exceeded',
  'schedule.missed',
  'webhook.disabled',
  'tool.failing',
  'domain.without_workers',
] as const;

export const listWebhooks = defineCommand({
  options: { json },
  notes,
  async run({ values: { json: asJson } }) {
    const rows = await connect().webhooks.list();
    if (asJson) return print(JSON.stringify(rows, null, 2));
    printTable(
      ['id', 'state', 'events', 'url'],
      rows.map((row) => [row.id, stateOf(row), row.events.join(' '), row.url]),
    );
  },
});

export const createWebhook = defineCommand({
  positionals: ['<url>'],
  options: {
    event: { type: 'string', multiple: true, value: '<event>', help: `what it is told of; again for each: ${events.join(', ')}` },
    filter: { type: 'string', value: '<cel>', help: 'a condition over the event, such as \'data.tool_name == "get_weather"\'' },
  },
  notes: `Prints the secret that signs, which nobody can read again.\n\n${notes}`,
  async run({ positionals: [url = ''], values: { event = [], filter } }) {
    const asked = event.flatMap((one) => oneOf('--event', one, events) ?? []);
    if (asked.length === 0) throw new UsageError(`--event is needed, such as --event call.failed`);
    const made = await connect().webhooks.create({ url, events: asked, ...(filter !== undefined && { filter }) });
    printError(`Made ${made.id}; its secret is shown this once:`);
    print(made.secret);
  },
});

export const rotateWebhook = defineCommand({
  positionals: ['<id>'],
  options: {},
  notes: `The secret before signs too for 24 hours.\n\n${notes}`,
  async run({ positionals: [id = ''] }) {
    const { secret, previous_secret_until } = await connect().webhooks.rotate(id);
    printError(`Both secrets sign until ${previous_secret_until ?? 'now'}; the new one is shown this once:`);
    print(secret);
  },
});

export const testWebhook = defineCommand({
  positionals: ['<id>'],
  options: {},
  notes: `Sends a webhook.test now, once. Exits with 1 when it does not arrive.\n\n${notes}`,
  async run({ positionals: [id = ''] }) {
    const { state, last_status, last_error, last_duration_ms, event_id } = await connect().webhooks.test(id);
    if (state === 'succeeded') return print(`${event_id} has arrived: ${last_status} in ${last_duration_ms} ms`);
    printError(`It has not arrived: ${last_error}`);
    return 1;
  },
});

export const listDeliveries = defineCommand({
  positionals: ['<id>'],
  options: {
    state: { type: 'string', value: '<state>', help: 'waiting, succeeded or failed' },
    limit: limitOption,
    json,
  },
  notes: `The newest come first.\n\n${notes}`,
  async run({ positionals: [id = ''], values: { limit, json: asJson, ...values } }) {
    const state = oneOf('--state', values.state, ['waiting', 'succeeded', 'failed']);
    const { webhooks } = connect();
    const rows = await readPages(limit, async (page) => {
      const found = await webhooks.deliveries(id, { ...page, state, limit: Math.min(page.limit, mostOfPage) });
      return { rows: found.deliveries, next: found.pagination.next_cursor };
    });
    if (asJson) return print(JSON.stringify(rows, null, 2));
    printTable(
      ['id', 'at', 'type', 'job', 'state', 'tries', 'next', 'problem'],
      rows.map((row) => [row.id, row.created_at, row.type, row.job_id, row.state, String(row.attempts), row.next_at, row.last_error]),
    );
  },
});

export const retryDelivery = defineCommand({
  positionals: ['<id>', '<delivery>'],
  options: {},
  notes,
  async run({ positionals: [id = '', delivery = ''] }) {
    const { event_id } = await connect().webhooks.retry(id, delivery);
    print(`${event_id} is sent again`);
  },
});

export const deleteWebhook = defineCommand({
  positionals: ['<id>'],
  options: {},
  notes: `With its deliveries.\n\n${notes}`,
  async run({ positionals: [id = ''] }) {
    print(`Deleted ${(await connect().webhooks.delete(id)).id}`);
  },
});

function stateOf({ enabled, failing_since }: { readonly enabled: boolean; readonly failing_since: string | null }): string {
  if (!enabled) return 'disabled';
  return failing_since === null ? 'active' : 'failing';
}

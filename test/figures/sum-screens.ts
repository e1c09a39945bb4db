// Each screen of the console that shows figures, and which figures it should show: those of the API.
import { activitySchema, budgetList, callSums, errorsPage, usageSchema, type ActivityBucket } from '#lib/contracts';
import type { HttpCaller } from '#lib/testing';
import { formatTime } from '../../apps/console/src/language/format.js';
import { byCount, calls, count, joined, meter, money, myDay, read, time, total, type Screen } from './as-shown.js';
import type { MixedCalls } from './mixed-calls.js';
import type { Wanted } from './shown.js';

async function operatorsHome({ admin }: MixedCalls, range: 'seconds' | 'minutes'): Promise<Wanted> {
  const { sums, queues, own_queues: own, ...buckets } = await read(admin, '/admin/activity', activitySchema);
  const { [range]: sum } = sums;
  const faults = sum.system_errors;
  const window = range === 'seconds' ? '5 min' : '3 h';
  const waiting = [...queues, ...own].reduce((all, queue) => all + queue.waiting, 0);
  const share = (faults / sum.calls) * 100;
  const served = [...queues, ...own].filter(({ workers }) => workers > 0).length;
  const points = pointsOf(buckets[range], buckets.now, range);
  const last = (of: (point: ActivityBucket) => number | null) => buckets[range].findLast((point) => of(point) !== null);
  return {
    stats: {
      Calls: `${count(sum.calls)} in ${window}`,
      'System errors': `${count(faults)} ${faults === 0 ? '0 %' : share < 0.1 ? '< 0.1 %' : `${share.toFixed(1)} %`} of all calls`,
      "Callers' mistakes": `${count(total(sum.errors) - faults)} wrong input, rights, limits`,
      Waiting: `${count(waiting)} for a worker, now`,
      p50: `${time(sum.p50_ms)} in ${window}`,
      p95: `${time(sum.p95_ms)} in ${window}`,
      p99: `${time(sum.p99_ms)} in ${window}`,
      ...(await myDay(admin)),
    },
    tables: {
      'Errors by code': Object.entries(sum.errors)
        .sort(byCount)
        .map(([Errors, value]) => ({ Errors, Calls: count(value) })),
      Queues: queues.map(({ domain, waiting: wait, open, limit, workers }) => ({
        Domain: domain,
        Waiting: count(wait),
        Open: `${count(open)} / ${count(limit)}`,
        Bound: meter(open, limit),
        Workers: workers > 0 ? count(workers) : 'none',
      })),
      'Own domains': own.map(({ domain, tenant_id: tenant, workers, waiting: wait, open }) => ({
        Domain: `${domain} ${tenant}`,
        Workers: count(workers),
        Waiting: count(wait),
        Open: count(open),
      })),
      'Tools by calls': Object.entries(sum.by_tool)
        .sort(([, a], [, b]) => b.calls - a.calls)
        .slice(0, 10)
        .map(([Tool, { calls: made, errors, p50_ms: p50, p99_ms: p99 }]) => ({
          Tool,
          Calls: count(made),
          Errors: count(total(errors)),
          p50: time(p50),
          p99: time(p99),
        })),
    },
    rest: joined(
      faults > 0 && `${count(faults)} system errors among`,
      `${calls(sum.calls)} in ${window}. ${served} domains have workers.`,
      `5 min 3 h Calls ${count(points.calls)} Errors ${count(points.errors)}`,
      `p50 ${time(last((point) => point.p50_ms)?.p50_ms ?? null)} p99 ${time(last((point) => point.p99_ms)?.p99_ms ?? null)}`,
    ),
  };
}

/** What the charts tell of their last moment. */
function pointsOf(
  buckets: readonly ActivityBucket[],
  now: string,
  range: 'seconds' | 'minutes',
): { readonly calls: number; readonly errors: number } {
  const stepMs = range === 'seconds' ? 1_000 : 60_000;
  const at = Math.floor(Date.parse(now) / stepMs) * stepMs;
  const bucket = buckets.find((one) => Date.parse(one.at) === at);
  return { calls: bucket?.calls ?? 0, errors: total(bucket?.errors ?? {}) };
}

/** Each kind of one window, both causes. @param query what the address and the API have in common */
async function errors({ admin }: MixedCalls, since: string, query: string): Promise<Wanted> {
  const hours = since === '1h' ? 1 : 24 * 30;
  const from = new Date(Date.now() - hours * 3_600_000).toISOString();
  const page = await read(admin, `/errors?limit=1000&from=${from}&${query}`, errorsPage);
  const day = (iso: string) => (page.step_ms === 86_400_000 ? iso.slice(0, 10) : formatTime(iso, 'en'));
  const told = (value: number, one: string, other: string) => `${count(value)} ${value === 1 ? one : other}`;
  const isOfAll = query.includes('scope=all');
  const kindsOf = (cause: string) =>
    page.errors
      .filter((kind) => kind.cause === cause)
      .map((kind) => ({
        Error: joined(
          kind.native_code ?? kind.code,
          kind.native_code !== null && kind.native_code !== kind.code && kind.code,
          kind.message ?? 'Several messages, counted together',
        ),
        Tool: joined(kind.tool_name ?? 'any tool', isOfAll && kind.tenant_id),
        Times: count(kind.count),
        First: page.step_ms === 86_400_000 ? kind.first_at.slice(0, 10) : kind.first_at,
        Last: kind.last_at,
      }));
  return {
    stats: {
      'System errors': `${count(page.total.system)} faults of Invoq, of tools, or of what stands behind them`,
      "Callers' mistakes": `${count(page.total.caller)} wrong parameters, lacking rights, limits`,
    },
    tables: { 'System errors': kindsOf('system'), "Callers' mistakes": kindsOf('caller') },
    bars: {
      'Errors over time': [
        ...page.series.map(
          ({ at, system, caller }) =>
            `${day(at)}: ${told(system, 'system error', 'system errors')}, ${told(caller, "caller's mistake", "callers' mistakes")}`,
        ),
        count(Math.max(1, ...page.series.map(({ system, caller }) => system + caller))),
        day(page.from),
        day(page.to),
      ],
    },
    rest: `15 min 1 h 6 h 24 h 7 days 30 days ${hours > 24 ? '24 hours' : ''}`,
  };
}

const named = {
  tool: 'Tool',
  model: 'Model',
  user: 'User',
  key: 'Key',
  conversation: 'Conversation',
  tenant: 'Tenant',
  day: 'Day',
} as const;

async function usage(caller: HttpCaller, scope: 'mine' | 'tenant' | 'all', by: keyof typeof named): Promise<Wanted> {
  const days = Array.from({ length: 30 }, (_, index) => new Date(Date.now() - (29 - index) * 86_400_000).toISOString().slice(0, 10));
  const sums = async (group: string) =>
    (await read(caller, `/usage/calls?scope=${scope}&by=${group}&from=${days[0]}&to=${days.at(-1)}&limit=1000`, callSums)).sums;
  const [daily, rows, today] = [await sums('day'), await sums(by), await read(caller, '/usage', usageSchema)];
  const sum = (of: (row: (typeof daily)[number]) => number) => daily.reduce((all, row) => all + of(row), 0);
  const most = Math.max(1, ...daily.map(({ completed, failed, cancelled }) => completed + failed + cancelled));
  const nameOf = (row: (typeof rows)[number]) =>
    ({
      tool: row.tool_name,
      model: row.model ?? 'no model',
      user: row.user_id ?? "the tenant's own keys",
      key: row.credential_id,
      conversation: row.conversation_id ?? 'outside of conversations',
      tenant: row.tenant_id,
      day: row.day,
    })[by] ?? '';
  const { calls: used, chat } = today;
  const limit = (value: number | null) => (value === null ? 'no limit' : count(value));
  return {
    stats: {
      Calls: count(sum((row) => row.calls)),
      Failed: count(sum((row) => row.failed)),
      Tokens: count(sum((row) => row.input_tokens + row.output_tokens)),
      'Working time': time(sum((row) => row.execution_ms)),
      Cost: money(sum((row) => row.cost_micros)),
    },
    bars: {
      'Calls by day': [
        ...days.map((day) => {
          const row = daily.find((one) => one.day === day);
          return `${day}: ${calls(row?.calls ?? 0)}, ${money(row?.cost_micros ?? 0)}`;
        }),
        count(most),
        days[0] ?? '',
        days.at(-1) ?? '',
      ],
    },
    tables: {
      [`By ${named[by].toLowerCase()}`]: rows
        .toSorted((a, b) => (by === 'day' ? (b.day ?? '').localeCompare(a.day ?? '') : b.cost_micros - a.cost_micros || b.calls - a.calls))
        .map((row) => ({
          [named[by]]: nameOf(row),
          Calls: count(row.calls),
          Failed: count(row.failed),
          Tokens: count(row.input_tokens + row.output_tokens),
          'Working time': time(row.execution_ms),
          Cost: money(row.cost_micros),
        })),
    },
    facts: {
      'Rate limit, calls a second': limit(today.rate_limit),
      Conversations: `${count(chat.conversations.used)} / ${limit(chat.conversations.limit)}`,
      Tokens: `${count(chat.tokens.used)} / ${limit(chat.tokens.limit)}`,
      Resets: chat.resets_at,
    },
    rest: joined(
      '7 days 30 days 90 days',
      ...used.days.map((day) => `${day.day.slice(5)} ${meter(day.used, used.limit)} ${count(day.used)}`),
      `${count(used.days[0]?.used ?? 0)} of ${count(used.limit)} used today · Resets ${used.resets_at}`,
    ),
  };
}

async function budgets({ admin }: MixedCalls): Promise<Wanted> {
  const { budgets: all } = await read(admin, '/budgets', budgetList);
  return {
    tables: {
      Budgets: all.map(({ name, period, time_zone: zone, limit_micros: most, limit_calls: mostCalls, spent, user, tool }) => ({
        Name: `${name} ${period === 'month' ? 'a month' : 'a day'} · ${zone}`,
        'What it counts': joined(user !== null && `User ${user}`, tool !== null && `Tool ${tool}`) || 'all calls of the tenant',
        Used: joined(
          most !== null && `Cost ${money(spent.micros)} of ${money(most)} ${meter(spent.micros + spent.reserved_micros, most)}`,
          spent.reserved_micros > 0 && `${money(spent.reserved_micros)} held for open calls`,
          mostCalls !== null &&
            `Calls ${count(spent.calls)} of ${count(mostCalls)} ${meter(spent.calls + spent.reserved_calls, mostCalls)}`,
          spent.reserved_calls > 0 && `${count(spent.reserved_calls)} held for open calls`,
        ),
        Resets: spent.resets_at,
      })),
    },
  };
}

/** Those of sums: of calls, of errors, of what they cost. */
export const sumScreens: readonly Screen[] = [
  { path: '/?range=minutes', wanted: (made) => operatorsHome(made, 'minutes') },
  { path: '/?range=seconds', wanted: (made) => operatorsHome(made, 'seconds') },
  { isWhole: true, path: '/errors?scope=all&since=1h', wanted: (made) => errors(made, '1h', 'scope=all') },
  {
    isWhole: true,
    path: '/errors?scope=tenant&since=1h&tool=make_quote',
    wanted: (made) => errors(made, '1h', 'scope=tenant&tool=make_quote'),
  },
  { isWhole: true, path: '/errors?scope=tenant&since=30d', wanted: (made) => errors(made, '30d', 'scope=tenant') },
  ...(['tool', 'model', 'user', 'key', 'conversation', 'day'] as const).map((by) => ({
    path: `/usage?scope=tenant&by=${by}`,
    wanted: ({ admin }: MixedCalls) => usage(admin, 'tenant', by),
  })),
  { path: '/usage?scope=all&by=tenant', wanted: ({ admin }) => usage(admin, 'all', 'tenant') },
  { path: '/usage', who: 'user', wanted: ({ user }) => usage(user, 'mine', 'tool') },
  { path: '/budgets', wanted: budgets },
];

// The screens of lists and of single calls, and which figures they should show: those of the API.
import { z } from 'zod';
import {
  auditPage,
  batch,
  batchPage,
  callPage,
  errorsPage,
  historyPage,
  outcomeOf,
  webhook,
  webhookDeliveryPage,
  workerList,
  type CallPage,
} from '#lib/contracts';
import { jobShape } from '#lib/testing';
import { actionText, wordsOf } from '../../apps/console/src/screens/audit/action-text.js';
import { actorOf } from '../../apps/console/src/screens/audit/actor.js';
import { count, joined, meter, money, myDay, read, time, type Screen } from './as-shown.js';
import type { MixedCalls } from './mixed-calls.js';
import type { Seen } from './seen.js';
import type { Wanted } from './shown.js';

const hourAgo = () => new Date(Date.now() - 3_600_000).toISOString();
const took = ({ created_at: from, finished_at: to }: { readonly created_at: string; readonly finished_at: string | null }) =>
  time(to === null ? null : Date.parse(to) - Date.parse(from));

function rowsOf({ jobs, pagination }: Pick<CallPage, 'jobs' | 'pagination'>): Wanted {
  return {
    lists: {
      Calls: jobs.map(
        ({ attempts_made: made, max_attempts: most, duration_ms: ms, created_at: at }) => `${made} / ${most} ${time(ms)} ${at}`,
      ),
    },
    rest: `${pagination.next_cursor === null ? '' : 'The last '}${jobs.length} calls`,
  };
}

async function pastCalls({ admin }: MixedCalls, query: string): Promise<Wanted> {
  const from = new Date(Date.now() - 30 * 86_400_000).toISOString();
  const { calls, pagination } = await read(admin, `/history?limit=100&from=${from}&${query}`, historyPage);
  return rowsOf({ jobs: calls, pagination: { ...pagination, has_more: pagination.next_cursor !== null } });
}

async function usersHome({ user }: MixedCalls): Promise<Wanted> {
  const { jobs } = await read(user, '/jobs?scope=mine&limit=100', callPage);
  const states = { succeeded: 'Completed', refused: 'Refused', failed: 'Failed', cancelled: 'Cancelled', open: 'Open' } as const;
  return {
    stats: await myDay(user),
    tables: {
      'Your last calls': jobs.slice(0, 8).map((job) => ({ State: states[outcomeOf(job)], Accepted: job.created_at })),
    },
  };
}

async function tenantsHome({ admin, boss }: MixedCalls): Promise<Wanted> {
  const { total } = await read(admin, `/errors?scope=tenant&from=${hourAgo()}`, errorsPage);
  const { own_domains: own } = await read(boss, '/admin/workers', workerList);
  const served = own.filter(({ connected }) => connected > 0).length;
  return {
    stats: await myDay(boss),
    tables: {
      'Own domains': own.map(({ domain, connected, waiting, open }) => ({
        Domain: domain,
        Workers: count(connected),
        Waiting: count(waiting),
        Open: count(open),
      })),
    },
    rest: `${count(total.system)} system errors in the last hour. ${served} domain has workers.`,
  };
}

const readiness = z.object({ dependencies: z.record(z.string(), z.object({ latency_ms: z.number() })) });

async function health({ admin }: MixedCalls, seen: Seen): Promise<Wanted> {
  const { workers, own_domains: own } = await read(admin, '/admin/workers', workerList);
  const running = (of: { readonly running: number; readonly concurrency: number }) =>
    `${meter(of.running, of.concurrency)} ${count(of.running)} / ${count(of.concurrency)}`;
  const titled = own.map((domain) => ({ ...domain, title: `Own domains : ${domain.domain} ${domain.tenant_id} served` }));
  return {
    stats: Object.fromEntries(
      titled.flatMap(({ title, connected, waiting, open }) => [
        [`${title} › Workers`, count(connected)],
        [`${title} › Waiting`, count(waiting)],
        [`${title} › Open`, count(open)],
      ]),
    ),
    tables: {
      Workers: workers.map(({ domain, version, host, pid, since, seen_at, ...rest }) => ({
        Domain: domain,
        Version: version,
        Host: `${host} · ${pid}`,
        Running: running(rest),
        Since: since,
        'Last heartbeat': seen_at,
      })),
      ...Object.fromEntries(
        titled.map(({ title, workers: theirs }) => [
          title,
          theirs.map(({ id, name, key_id: key, since, ...rest }) => ({
            Worker: name ?? id,
            Key: key,
            Running: running(rest),
            Since: since,
          })),
        ]),
      ),
    },
    rest: joined(
      ...Object.values((await seen.last('/readyz', readiness)).dependencies).map(({ latency_ms: ms }) => time(ms)),
      ...own.flatMap(({ tools }) => tools),
    ),
  };
}

async function batches({ user }: MixedCalls): Promise<Wanted> {
  const page = await read(user, '/batches', batchPage);
  return {
    tables: {
      Batches: page.batches.map((one) => {
        const ended = one.completed + one.failed + one.cancelled;
        return {
          Batch: one.batch_id,
          Calls: `${meter(ended, one.total)} ${count(ended)} of ${count(one.total)}`,
          Failed: count(one.failed),
          Begun: one.created_at,
          Took: took(one),
        };
      }),
    },
  };
}

const line = z.looseObject({
  index: z.number(),
  success: z.boolean(),
  error: z.looseObject({ message: z.string() }).nullish(),
  metadata: z.looseObject({ execution_time_ms: z.number().nullish() }),
});

async function oneBatch({ user, batchId }: MixedCalls): Promise<Wanted> {
  const one = await read(user, `/batches/${batchId}`, batch);
  const { total, waiting, active, resting, completed, failed, cancelled, created_at: begun } = one;
  const ended = completed + failed + cancelled;
  const results = (await user.get(`/batches/${batchId}/results`)).text.trim().split('\n');
  const lines = results.map((text) => line.parse(JSON.parse(text)));
  return {
    stats: {
      Total: `${count(total)} ${begun}`,
      Waiting: count(waiting),
      Running: count(active),
      Resting: count(resting),
      Completed: count(completed),
      Failed: count(failed),
      Cancelled: count(cancelled),
      Took: took(one),
    },
    lists: {
      Results: lines.map(({ index, error, metadata }) => joined(count(index), error?.message, time(metadata.execution_time_ms ?? null))),
    },
    rest: `${meter(ended, total)} ${count(ended)} of ${count(total)} With an error ${count(lines.filter(({ success }) => !success).length)}`,
  };
}

async function oneWebhook({ admin, webhookId }: MixedCalls): Promise<Wanted> {
  const { url, created_by: by, created_at: created } = await read(admin, `/webhooks/${webhookId}`, webhook);
  const { deliveries } = await read(admin, `/webhooks/${webhookId}/deliveries`, webhookDeliveryPage);
  return {
    facts: { Address: url, 'Created by': by, Created: created },
    tables: {
      Deliveries: deliveries.map((one) => ({
        Event: one.type,
        'Last answer': one.attempts === 0 ? '—' : joined(String(one.last_status), time(one.last_duration_ms)),
        Tries: count(one.attempts),
        'Next try': one.next_at ?? '—',
        When: one.created_at,
      })),
    },
  };
}

async function audit({ admin }: MixedCalls): Promise<Wanted> {
  const { events, pagination } = await read(admin, '/audit?scope=tenant&limit=100', auditPage);
  return {
    tables: {
      [pagination.next_cursor === null ? `${events.length} entries` : `The last ${events.length} entries`]: events.map(
        ({ action, subject, actor, changed, at }) => {
          const known = actorOf(actor);
          return {
            Action: wordsOf(action, actionText.en),
            What: subject,
            Who: known?.kind === 'key' ? `Key ${known.key}` : known?.kind === 'user' ? known.user : (actor ?? ''),
            Changed: changed.join(', ') || '—',
            When: at,
          };
        },
      ),
    },
    rest: `${events.length} entries`,
  };
}

const trace = z.looseObject({
  started_at: z.string(),
  duration_ms: z.number(),
  spans: z.array(
    z.looseObject({
      span_id: z.string(),
      parent_span_id: z.string().nullish(),
      offset_ms: z.number(),
      duration_ms: z.number(),
      attributes: z.record(z.string(), z.unknown()),
    }),
  ),
});
type Spans = z.infer<typeof trace>['spans'];

/** The last call of somebody who makes none but single ones. */
async function lastCall({ admin }: MixedCalls) {
  const { calls } = await read(admin, '/history?scope=tenant&tool=make_quote&user=user_other&limit=1', historyPage);
  const [last] = calls;
  if (!last) throw new Error('there is no such call');
  return last;
}

/** The end is written a moment after the attempt, and stands with it. */
const writingMs = 50;

async function oneCall(made: MixedCalls): Promise<Wanted> {
  const past = await lastCall(made);
  const job = await read(made.admin, `/jobs/${past.job_id}`, jobShape);
  const { started_at: begun, spans } = await read(made.admin, `/traces/${past.trace_id}`, trace);
  const attempt = spans.find(({ attributes }) => attributes['invoq.job_id'] === past.job_id);
  const [from, to] = [Date.parse(job.created_at), Date.parse(job.finished_at ?? '')];
  const ran = Math.max(from, Date.parse(begun) + (attempt?.offset_ms ?? 0));
  const ended = Math.min(to, ran + (attempt?.duration_ms ?? 0));
  const running = to - ended < writingMs ? to - ran : ended - ran;
  return {
    stats: {
      'What happened › Waiting for a worker': time(to - from - running),
      'What happened › Running': time(running),
      'What happened › Whole': time(to - from),
    },
    facts: {
      Tool: `make_quote ${past.tool_version}`,
      Key: past.credential_id,
      Accepted: job.created_at,
      Begun: job.started_at ?? '',
      Ended: job.finished_at ?? '',
      Attempts: `${job.attempts_made} of at most ${job.max_attempts}`,
      Cost: money(past.cost_micros),
    },
    ...(await oneTrace(made)),
  };
}

/** Each after its parent, those of one parent by their beginning. */
function inOrder(spans: Spans, parent?: string): Spans {
  const known = new Set(spans.map(({ span_id: id }) => id));
  const isRoot = (id: string | null | undefined) => typeof id !== 'string' || !known.has(id);
  return spans
    .filter(({ parent_span_id: of }) => (parent === undefined ? isRoot(of) : of === parent))
    .toSorted((a, b) => a.offset_ms - b.offset_ms)
    .flatMap((span) => [span, ...inOrder(spans, span.span_id)]);
}

async function oneTrace(made: MixedCalls): Promise<Wanted> {
  const { spans, duration_ms: whole } = await read(made.admin, `/traces/${(await lastCall(made)).trace_id}`, trace);
  return { lists: { Spans: inOrder(spans).map(({ duration_ms: ms }) => time(ms)) }, rest: `${spans.length} spans, ${time(whole)}` };
}

/** Names of spans, and the axis above them. */
const namesOfSpans = '.screen-head, .row > .truncate, .rows-head, .strip';

/** Those of lists and of single calls. */
export const listScreens: readonly Screen[] = [
  { path: '/', who: 'user', wanted: usersHome },
  { path: '/', who: 'boss', wanted: tenantsHome },
  { path: '/calls?scope=tenant', wanted: async ({ admin }) => rowsOf(await read(admin, '/jobs?scope=tenant&limit=100', callPage)) },
  {
    path: '/calls?scope=all&outcome=failed&tool=make_quote&since=1h',
    wanted: async ({ admin }) =>
      rowsOf(await read(admin, `/jobs?scope=all&outcome=failed&tool=make_quote&limit=100&from=${hourAgo()}`, callPage)),
  },
  {
    path: '/calls?scope=tenant&tool=user_profile_lookup&since=30d',
    wanted: (made) => pastCalls(made, 'scope=tenant&tool=user_profile_lookup'),
  },
  { path: '/calls/:id?tab=trace', id: async (made) => (await lastCall(made)).job_id, without: namesOfSpans, wanted: oneCall },
  { path: '/traces/:id', id: async (made) => (await lastCall(made)).trace_id, without: namesOfSpans, wanted: oneTrace },
  { path: '/health', without: '.panel-head .badge, section.panel:has(input[type=search])', wanted: health },
  { path: '/batches', who: 'user', wanted: batches },
  { path: '/batches/:id', who: 'user', id: async ({ batchId }) => batchId, without: '.screen-head', wanted: oneBatch },
  { path: '/webhooks/:id', id: async ({ webhookId }) => webhookId, without: '.screen-head', wanted: oneWebhook },
  { path: '/audit?scope=tenant', wanted: audit },
];

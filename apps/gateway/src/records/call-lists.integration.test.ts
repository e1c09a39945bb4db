import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { callPage, callRow, type CallRow } from '#lib/contracts';
import { eventually, type EventReader, givenStores, HttpCaller, startTimeoutMs, Tenant } from '#lib/testing';
import type { ListedCall } from '#lib/transport';
import { startTestGateway, type TestGateway } from '../test-gateway.js';

let tenant: TestGateway['tenant'];
let others: Tenant;
let gateway: TestGateway;
let user: HttpCaller;
let neighbour: HttpCaller;
let stranger: HttpCaller;
let admin: HttpCaller;
const held = new Map<string, () => void>();

beforeAll(async () => {
  gateway = await startTestGateway({
    handler: async ({ head }) => {
      const order = String(head.input['order']);
      if (order.startsWith('held')) await new Promise<void>((resolve) => held.set(order, resolve));
      if (order.startsWith('sold'))
        return {
          ok: false,
          error: { code: 'RESOURCE_NOT_FOUND', family: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT', message: 'none left' },
        };
      return { ok: true, data: { made: order } };
    },
  });
  ({ tenant } = gateway);
  others = await Tenant.create(givenStores().databaseUrl);
  [user, neighbour] = [await gateway.caller(), await gateway.caller({ userId: 'user_other' })];
  stranger = new HttpCaller(gateway.url, await others.key());
  admin = await gateway.caller({ userId: null, scopes: ['*'] });
}, startTimeoutMs);

afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]();
  await others?.[Symbol.asyncDispose]();
});

async function start(order: string, { caller = user, tool = 'test_plain' } = {}): Promise<string> {
  const path = (await caller.post(`/tools/${tool}`, { order }, { prefer: 'respond-async' })).headers.get('location') ?? '';
  return path.replace('/jobs/', '');
}

const list = async (query: string, caller = admin) => (await caller.get(`/jobs?${query}`)).as(callPage);
const idsOf = async (query: string, caller = admin) => (await list(query, caller)).jobs.map(({ job_id }) => job_id);
const listed = async (id: string, state: CallRow['state']) =>
  eventually(async () => (await list('scope=all&limit=100')).jobs.find((call) => call.job_id === id && call.state === state));

/** `createdAt` is epoch ms. */
type EndedCall = Readonly<Record<'tenant' | 'who' | 'tool_name', string> & Record<'createdAt', number>>;

function endedCall(n: number, { tenant: tenant_id, who, tool_name, createdAt }: EndedCall): ListedCall {
  const at = new Date(createdAt).toISOString();
  return {
    who,
    call: {
      job_id: `inv_profile_${n.toString(16).padStart(32, '0')}`,
      tool_name,
      tool_version: '1.0.0',
      state: 'completed',
      error: null,
      tenant_id,
      user_id: 'user_many',
      trace_id: 'trace_x',
      attempts_made: 1,
      max_attempts: 1,
      created_at: at,
      started_at: at,
      finished_at: at,
      duration_ms: 0,
      replay_of: null,
    },
  };
}

async function writeAll(calls: readonly ListedCall[]): Promise<void> {
  for (let from = 0; from < calls.length; from += 500) await gateway.stores.callLists.write(calls.slice(from, from + 500));
}

describe('The list of runs', () => {
  test('shows a call with its state and its error, and neither input nor result', async () => {
    const id = await start('sold-secretly');
    const call = await listed(id, 'failed');
    expect(call).toEqual({
      job_id: id,
      tool_name: 'test_plain',
      tool_version: expect.any(String),
      state: 'failed',
      error: { code: 'RESOURCE_NOT_FOUND', native_code: 'SOLD_OUT' },
      tenant_id: tenant.id,
      user_id: 'user_001',
      trace_id: expect.stringMatching(/^trace_/),
      attempts_made: 1,
      max_attempts: 3,
      created_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      duration_ms: expect.any(Number),
      replay_of: null,
    });
    expect((await admin.get('/jobs?scope=all')).text).not.toContain('secretly');
  });

  test('has the calls of its scope alone, and those of others for administrators alone', async () => {
    const [mine, theirs, foreign] = [await start('a'), await start('b', { caller: neighbour }), await start('c', { caller: stranger })];
    for (const id of [mine, theirs, foreign]) await listed(id, 'completed');
    const seen = async (query: string, caller: HttpCaller) => {
      const ids = await idsOf(`${query}&limit=100`, caller);
      return [mine, theirs, foreign].map((id) => ids.includes(id));
    };
    expect(await seen('scope=mine', user)).toEqual([true, false, false]);
    expect(await seen('scope=mine', stranger)).toEqual([false, false, true]);
    expect(await seen('scope=tenant', admin)).toEqual([true, true, false]);
    expect(await seen('scope=all', admin)).toEqual([true, true, true]);
    expect(await seen('scope=tenant&user=user_other', admin)).toEqual([false, true, false]);
    expect(await seen(`scope=all&tenant=${others.id}`, admin)).toEqual([false, false, true]);
    expect(await seen(`scope=all&tenant=${tenant.id}&outcome=succeeded`, admin)).toEqual([true, true, false]);
    expect(await seen('scope=mine&user=user_other', user)).toEqual([false, false, false]);
    for (const scope of ['tenant', 'all']) {
      const refused = await user.get(`/jobs?scope=${scope}`);
      expect([refused.status, refused.text]).toEqual([403, expect.stringMatching(/scope (tenant:)?admin/)]);
    }
  });

  test('is filtered by state, tool, error and time', async () => {
    const sold = await start('sold', { caller: neighbour });
    await listed(sold, 'failed');
    const made = await start('made', { caller: neighbour, tool: 'test_session' });
    await listed(made, 'completed');
    const open = await start('held-open', { caller: neighbour });
    await listed(open, 'active');
    const mine = async (query: string) => {
      const ids = await idsOf(`scope=mine&limit=100&${query}`, neighbour);
      return [sold, made, open].map((id) => ids.includes(id));
    };
    expect(await mine('')).toEqual([true, true, true]);
    expect(await mine('state=failed')).toEqual([true, false, false]);
    expect(await mine('state=completed')).toEqual([false, true, false]);
    expect(await mine('state=active')).toEqual([false, false, true]);
    expect(await mine('state=waiting')).toEqual([false, false, false]);
    expect(await mine('outcome=failed')).toEqual([true, false, false]);
    expect(await mine('outcome=succeeded')).toEqual([false, true, false]);
    expect(await mine('outcome=open')).toEqual([false, false, true]);
    expect(await mine('outcome=open&state=failed')).toEqual([false, false, false]);
    expect(await mine('tool=test_session')).toEqual([false, true, false]);
    expect(await mine('code=SOLD_OUT')).toEqual([true, false, false]);
    expect(await mine('code=RESOURCE_NOT_FOUND&tool=test_plain&state=failed')).toEqual([true, false, false]);
    expect(await mine('code=TIMEOUT')).toEqual([false, false, false]);
    const at = (await list('scope=mine&tool=test_session', neighbour)).jobs[0]?.created_at ?? '';
    expect(await mine(`from=${at}`)).toEqual([false, true, true]);
    expect(await mine(`to=${at}`)).toEqual([true, false, false]);
    held.get('held-open')?.();
    await listed(open, 'completed');
    expect(await mine('state=active')).toEqual([false, false, false]);
  });

  test.each([
    'scope=hers',
    'scope=mine&state=lost',
    'scope=mine&outcome=lost',
    'scope=tenant&tenant=another',
    'scope=mine&limit=0',
    'scope=mine&limit=101',
    'scope=mine&from=yesterday',
    'scope=mine&cursor=x',
    'scope=mine&colour=red',
    'scope=mine&tool=a&tool=b',
  ])('refuses %s and names the parameter', async (query) => {
    const answer = await user.get(`/jobs?${query}`);
    const name = /&?([a-z]+)=[^&]*$/.exec(query)?.[1] ?? '';
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(name)]);
  });

  test('knows a call whose end was never written to it, and one whose beginning came after its end', async () => {
    const { callLists, store } = gateway.stores;
    const id = await start('late');
    const call = await listed(id, 'completed');
    const begun: ListedCall = { who: `${tenant.id}/user_001`, call: { ...call, state: 'waiting', finished_at: null, duration_ms: null } };
    await callLists.write([begun]);
    const isOpen = async () =>
      (await callLists.ids(['state', 'open', tenant.id], { before: Number.MAX_SAFE_INTEGER, behind: null, limit: 1_000 })).some(
        ({ jobId }) => jobId === id,
      );
    expect(await isOpen()).toBe(true);
    expect(await idsOf('scope=tenant&state=waiting')).not.toContain(id);
    // Taken off the open ones by the reading.
    expect(await isOpen()).toBe(false);
    expect((await list('scope=mine&limit=100', user)).jobs.find((one) => one.job_id === id)?.state).toBe('completed');
    await store.forget([id]);
  });
});

describe('Ten thousand runs', () => {
  const count = 10_000;
  const who = 'somebody/user_many';
  const many = Array.from({ length: count }, (_, n): ListedCall => {
    const tool_name = n % 1_000 === 0 ? 'rare_tool' : 'test_plain';
    // Many of one millisecond, too.
    return endedCall(n, { tenant: 'somebody', who, tool_name, createdAt: Date.now() - 60_000 - Math.floor(n / 150) });
  });
  beforeAll(async () => {
    await writeAll(many);
  });

  async function readAll(query: string): Promise<{ readonly ids: readonly string[]; readonly pages: number }> {
    const ids: string[] = [];
    let pages = 0;
    for (let cursor: string | null = ''; cursor !== null; pages++) {
      const page: { jobs: CallRow[]; pagination: { next_cursor: string | null } } = await list(
        `${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      ids.push(...page.jobs.map(({ job_id }) => job_id));
      cursor = page.pagination.next_cursor;
      if (pages % 20 === 0) await start(`between-${pages}`);
    }
    return { ids, pages };
  }

  test('are read in pages, each once, while others begin', async () => {
    const { ids } = await readAll('scope=all&user=user_many&limit=100');
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
    expect(ids).toEqual(expect.arrayContaining([many[0]?.call.job_id, many.at(-1)?.call.job_id]));
  });

  test('are filtered by the list that has the fewest of them', async () => {
    const { ids, pages } = await readAll('scope=all&tool=rare_tool&user=user_many&limit=100');
    expect([ids.length, pages]).toEqual([10, 1]);
  });

  test('give their cursor to nobody else and to no other query', async () => {
    const next = (await list('scope=all&user=user_many')).pagination.next_cursor ?? '';
    for (const query of ['scope=all', 'scope=tenant&user=user_many', 'scope=all&user=user_many&state=failed'])
      expect((await admin.get(`/jobs?${query}&cursor=${encodeURIComponent(next)}`)).status).toBe(400);
  });
});

describe('The calls of one tenant', () => {
  test('are found at once, however many another tenant has of the same tool', async () => {
    const ofTool = { tool_name: 'tool_of_two' };
    const own = { tenant: tenant.id, who: `${tenant.id}/user_busy` };
    const now = Date.now();
    await writeAll([
      ...Array.from({ length: 1_200 }, (_, n) => endedCall(20_000 + n, { ...own, tool_name: 'test_plain', createdAt: now - 3_000 })),
      ...Array.from({ length: 5 }, (_, n) => endedCall(30_000 + n, { ...own, ...ofTool, createdAt: now - 2_000 })),
      ...Array.from({ length: 1_100 }, (_, n) =>
        endedCall(40_000 + n, { tenant: 'flood', who: 'flood/u', ...ofTool, createdAt: now - 1_000 }),
      ),
    ]);
    expect((await list('scope=tenant&tool=tool_of_two')).jobs).toHaveLength(5);
  });
});

describe('The feed', () => {
  async function open(caller: HttpCaller, query = '', lastEventId?: string): Promise<EventReader> {
    return caller.stream(`/jobs/feed${query}`, lastEventId === undefined ? {} : { headers: { 'last-event-id': lastEventId } });
  }

  async function runAfter(
    reader: EventReader,
    wanted: (call: CallRow) => boolean,
  ): Promise<{ readonly id: string; readonly call: CallRow }> {
    for (;;) {
      const event = await reader.next();
      if (!event) throw new Error('the feed ended');
      if (event.event !== 'run') continue;
      const call = callRow.parse(event.data);
      if (wanted(call)) return { id: event.id, call };
    }
  }

  test('tells of a beginning and of an end, and begins with the place to read the list at', async () => {
    await using reader = await open(user);
    expect(await reader.next()).toMatchObject({ event: 'reset', data: {} });
    const id = await start('held-feed');
    expect((await runAfter(reader, ({ job_id }) => job_id === id)).call).toMatchObject({ state: 'waiting', finished_at: null });
    await eventually(() => held.has('held-feed'));
    held.get('held-feed')?.();
    expect((await runAfter(reader, ({ job_id }) => job_id === id)).call).toMatchObject({ state: 'completed' });
  });

  test('goes on after the last event without a gap, and starts anew where it cannot', async () => {
    const first = await open(user);
    await first.next();
    const one = await start('one');
    const { id } = await runAfter(first, ({ job_id, finished_at }) => job_id === one && finished_at !== null);
    await first[Symbol.asyncDispose]();
    const missed = [await start('two'), await start('three')];
    for (const each of missed) await listed(each, 'completed');
    await using second = await open(user, '', id);
    const seen = new Set<string>();
    while (missed.some((each) => !seen.has(each)))
      seen.add((await runAfter(second, ({ finished_at }) => finished_at !== null)).call.job_id);
    await using third = await open(user, '', '1-1-1');
    expect(await third.next()).toMatchObject({ event: 'reset' });
  });

  test('has the calls of its scope and filters alone', async () => {
    await using mine = await open(user, '?tool=test_plain');
    await using everybody = await open(admin, '?scope=all');
    for (const reader of [mine, everybody]) await reader.next();
    const [foreign, near, other] = [
      await start('x', { caller: stranger }),
      await start('y', { caller: neighbour }),
      await start('z', { tool: 'test_session' }),
    ];
    const own = await start('w');
    const seenByUser = new Set<string>();
    while (!seenByUser.has(own)) seenByUser.add((await runAfter(mine, () => true)).call.job_id);
    expect([foreign, near, other].some((id) => seenByUser.has(id))).toBe(false);
    const seen = new Set<string>();
    while (![foreign, near, other, own].every((id) => seen.has(id))) seen.add((await runAfter(everybody, () => true)).call.job_id);
  });

  test.each([
    ['all', '?scope=all', 403],
    ['tenant', '?scope=tenant', 403],
    ['an unknown state', '?state=lost', 400],
  ])('is refused to a user with %s', async (_, query, status) => {
    expect((await user.get(`/jobs/feed${query}`, { accept: 'text/event-stream' })).status).toBe(status);
  });

  test('has to be asked for as a stream', async () => {
    const answer = await user.get('/jobs/feed');
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('Accept: text/event-stream')]);
  });
});

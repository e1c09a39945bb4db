import { expect, test } from '@jest/globals';
import { mostCallBytes, type KeptStep, type ToolDefinition } from '#lib/contracts';
import type { ToolEnd } from '../gateway-client.js';
import { InnerCalls, keptNumber } from './inner-calls.js';

const definition = (name: string, readOnly: boolean) =>
  ({ name, read_only: readOnly, description: name, parameters: {} }) as ToolDefinition;
const definitions = new Map([definition('slow', true), definition('fast', true), definition('write', false)].map((one) => [one.name, one]));
const over = new AbortController().signal;
const authority = {
  token: '',
  caller: { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' },
  jobId: 'job',
  traceId: 't',
} as const;
const rest = { jobId: 'resting', inputRequest: 'i', until: 5 };

interface Made {
  readonly name: string;
  readonly effectKey?: string | null | undefined;
}

/** One attempt; steps are kept as those of a call are. */
function attempt(steps: Map<string, unknown>, answers: Readonly<Record<string, () => Promise<ToolEnd> | ToolEnd>>) {
  const made: Made[] = [];
  const rested: unknown[] = [];
  const asked = async (name: string, effectKey?: string | null): Promise<ToolEnd> => {
    made.push({ name, effectKey });
    return answers[name]?.() ?? { ok: true, data: { name } };
  };
  const step = async (name: string, work: () => unknown): Promise<unknown> => {
    if (!steps.has(name)) steps.set(name, JSON.parse(JSON.stringify(await work())));
    return steps.get(name);
  };
  const calls = new InnerCalls({
    context: { step: step as never, rest: async (wait) => new Promise<never>(() => void rested.push(wait)) },
    definitions,
    callable: new Set(['slow', 'fast']),
    gateway: {
      search: async (query) => {
        made.push({ name: `search ${query}` });
        return query === 'nothing'
          ? { ok: false, error: { code: 'NETWORK_ERROR', message: 'm', retryable: true } }
          : { ok: true, names: ['fast', 'write', 'unknown', 'slow'] };
      },
      callOrRest: async (name, _input, { effectKey }) => asked(name, effectKey),
      goOn: async (name, jobId) => asked(`${name} ${jobId}`),
      cancel: async (jobId) => void made.push({ name: `cancel ${jobId}` }),
    },
    authority: { ...authority, signal: over },
    limitMs: 1_000,
    kept: [...steps.values()].flatMap((data) => keptNumber(data) ?? []),
  });
  const delivered: string[] = [];
  const call = async (tool: string, input: object = {}) => {
    const { json, at } = await calls.reply({ kind: 'call', tool, input: JSON.stringify(input) }, over);
    delivered.push(tool);
    return { ...JSON.parse(json), at };
  };
  return { calls, call, made, rested, delivered };
}

const later = (ms: number, end: ToolEnd) => async () => new Promise<ToolEnd>((resolve) => setTimeout(() => resolve(end), ms));
const ok = (data: Record<string, unknown>): ToolEnd => ({ ok: true, data });

test('a later attempt makes no call again, and gets the replies in the order of the first one', async () => {
  const steps = new Map<string, unknown>();
  const first = attempt(steps, { slow: later(60, ok({ n: 1 })), fast: later(10, ok({ n: 2 })) });
  const replies = await Promise.all([first.call('slow'), first.call('fast')]);
  expect(first.delivered).toEqual(['fast', 'slow']);

  const second = attempt(steps, {});
  expect(await Promise.all([second.call('slow'), second.call('fast')])).toEqual(replies);
  expect(second.delivered).toEqual(['fast', 'slow']);
  expect(second.made).toEqual([]);
});

test('replies that were not kept come after those that were, and have later times', async () => {
  const steps = new Map<string, unknown>();
  const first = attempt(steps, { slow: async () => new Promise<ToolEnd>(() => undefined), fast: () => ok({}) });
  void first.call('slow');
  await first.call('fast');
  const second = attempt(steps, {});
  await Promise.all([second.call('slow'), second.call('fast')]);
  expect(second.delivered).toEqual(['fast', 'slow']);
  expect(second.made).toEqual([{ name: 'slow', effectKey: null }]);
});

test('a call that changes something has the same key in each attempt', async () => {
  const first = attempt(new Map(), {});
  await first.call('fast');
  await first.call('write');
  expect(first.made).toEqual([
    { name: 'fast', effectKey: null },
    { name: 'write', effectKey: 'job:2' },
  ]);
});

test('a call that rests ends the attempt, and a later one goes on with it', async () => {
  const steps = new Map<string, unknown>();
  const first = attempt(steps, { write: () => ({ rest }) });
  void first.call('write');
  await new Promise(setImmediate);
  expect(first.rested).toEqual([]);
  first.calls.read();
  expect(first.rested).toMatchObject([{ name: 'input i', reason: 'event', inputRequest: 'i' }]);
  expect((first.rested[0] as { until: number }).until).toBeGreaterThan(Date.now());

  const woken = attempt(steps, { 'write resting': () => ok({ done: true }) });
  expect(await woken.call('write')).toMatchObject({ data: { done: true } });
  expect(woken.made).toEqual([{ name: 'write resting', effectKey: undefined }]);
  const third = attempt(steps, {});
  expect(await third.call('write')).toMatchObject({ data: { done: true } });
  expect(third.made).toEqual([]);
});

test('nothing rests while another call runs, nor before the code is done with its reply', async () => {
  let answer: (end: ToolEnd) => void = () => undefined;
  const slow = async () => new Promise<ToolEnd>((resolve) => (answer = resolve));
  const { calls, call, rested } = attempt(new Map(), { write: () => ({ rest }), slow });
  void call('write');
  const other = call('slow');
  calls.read();
  await new Promise(setImmediate);
  expect(rested).toEqual([]);
  answer(ok({}));
  await other;
  expect(rested).toEqual([]);
  calls.read();
  expect(rested).toHaveLength(1);
});

test('calls that wait for the places of those that rest keep nobody from the rest', async () => {
  const { calls, call, rested, made } = attempt(new Map(), { write: () => ({ rest }) });
  for (let n = 0; n < 8; n++) void call('write', { n });
  await new Promise(setImmediate);
  calls.read();
  expect([made.length, rested.length]).toEqual([5, 1]);
});

test('calls of code that ended while they rest are cancelled', async () => {
  const { calls, call, made } = attempt(new Map(), { write: () => ({ rest }) });
  void call('write');
  await new Promise(setImmediate);
  await calls.cancelResting();
  expect(made.at(-1)).toEqual({ name: 'cancel resting' });
});

test('another call than in an earlier attempt is a fault', async () => {
  const steps = new Map<string, unknown>();
  await attempt(steps, {}).call('fast', { a: 1 });
  await expect(attempt(steps, {}).call('fast', { a: 2 })).rejects.toThrow('another one than in an earlier attempt');
});

test('at most five run at a time, and all get their turns', async () => {
  const open = { now: 0, most: 0 };
  const fast = async () => {
    open.most = Math.max(open.most, (open.now += 1));
    await new Promise((resolve) => setTimeout(resolve, 5));
    open.now -= 1;
    return ok({});
  };
  const { call, calls } = attempt(new Map(), { fast });
  await Promise.all(Array.from({ length: 40 }, async () => call('fast')));
  expect([open.most, calls.made]).toEqual([5, 40]);
});

test('what is too much is refused: calls, results, tools that are not there, parameters that are none', async () => {
  const many = attempt(new Map(), {});
  for (let n = 0; n < 100; n++) await many.call('fast');
  await expect(many.call('fast')).rejects.toMatchObject({ literal: 'TOO_MANY_CALLS' });

  const large = attempt(new Map(), {
    fast: () => ok({ text: 'x'.repeat(mostCallBytes) }),
    slow: () => ok({ text: 'x'.repeat(mostCallBytes - 100) }),
  });
  expect(await large.call('fast')).toMatchObject({
    error: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('ask for less') },
  });
  for (let n = 0; n < 7; n++) expect(await large.call('slow')).toHaveProperty('data');
  expect(await large.call('slow')).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('all calls') } });

  for (const name of ['none', '__proto__', 'constructor', 'run_code'])
    expect(await attempt(new Map(), {}).call(name)).toMatchObject({ error: { code: 'TOOL_NOT_FOUND' } });
  const { calls } = attempt(new Map(), {});
  for (const asked of [
    null,
    { kind: 'call', tool: 'fast', input: '[]' },
    { kind: 'call', tool: 'fast', input: '{' },
    { kind: 'other' },
    { kind: 'call', tool: 1, input: '{}' },
  ])
    await expect(calls.reply(asked, over)).rejects.toThrow();
});

test('a search finds the functions of the code alone, ranked, and a later attempt finds the same without another', async () => {
  const steps = new Map<string, unknown>();
  const ask = async (one: ReturnType<typeof attempt>, query: string): Promise<unknown> =>
    JSON.parse((await one.calls.reply({ kind: 'search', query }, over)).json);
  const first = attempt(steps, {});
  const found = await ask(first, 'quick');
  expect(found).toEqual({ data: { tools: ['fast', 'slow'].map((name) => ({ name, description: name, parameters: {} })) } });
  expect(await ask(first, 'nothing')).toMatchObject({ error: { code: 'NETWORK_ERROR', retryable: true } });
  expect(first.made).toEqual([{ name: 'search quick' }, { name: 'search nothing' }]);

  const second = attempt(steps, {});
  expect(await ask(second, 'quick')).toEqual(found);
  expect(await ask(second, 'nothing')).toMatchObject({ error: { code: 'NETWORK_ERROR' } });
  expect(second.made).toEqual([]);
  await expect(ask(attempt(steps, {}), 'other')).rejects.toThrow('another one than in an earlier attempt');
});

test('a step that is none of a call has no number', () => {
  const steps: readonly KeptStep[] = [{ kind: 'step', data: 5 }, { kind: 'step', data: { rest } }, { kind: 'step' }];
  expect(steps.map((step) => ('data' in step ? keptNumber(step.data) : null))).toEqual([null, null, null]);
});

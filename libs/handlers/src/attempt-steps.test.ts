import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { answerOf, connectionStep, type KeptStep, type ToolContract } from '#lib/contracts';
import type { AccountRecords, AskedConnection, MissingAccount } from './account-records.js';
import { AttemptSteps } from './attempt-steps.js';
import { type AskedQuestion, type StepRecords, type Wait } from './step-types.js';

const contract: ToolContract = {
  name: 'mail',
  version: '1.0.0',
  title: 'Mail',
  description: 'Mail.',
  domain: 'profile',
  effect: 'read',
  input: z.strictObject({}),
  output: z.strictObject({}),
  errors: {},
  timeoutMs: 1_000,
  estimatedTokens: 1,
  examples: [],
  connection: { provider: 'mail' },
};

const never = Symbol('never');
const soon = async () => new Promise((resolve) => setTimeout(resolve, 20));

/** A call whose attempts share what is kept, on a clock of its own. */
function newCall(account: AccountRecords | null = null) {
  const kept = new Map<string, KeptStep>();
  const asked: AskedQuestion[] = [];
  const clock = { now: 1_000_000 };
  const records: StepRecords = {
    earlier: async () => new Map(kept),
    keep: async (name, step) => {
      kept.set(name, step);
      return step;
    },
    ask: async (question) => void asked.push(question),
    now: () => clock.now,
  };
  function attempt() {
    const rests: Wait[] = [];
    return {
      steps: new AttemptSteps(
        { records, jobId: 'job', hooksAt: () => ({ url: 'http://gateway', key: 'key' }), contract, account },
        (waits) => void rests.push(...waits),
      ),
      rests,
    };
  }
  return { kept, asked, clock, attempt };
}

describe('a step', () => {
  test('is done once, and every later attempt gets what it gave, as JSON', async () => {
    const { attempt } = newCall();
    let times = 0;
    const work = async () => ({ times: ++times, at: new Date(0) });
    expect(await attempt().steps.step('one', work)).toEqual({ times: 1, at: '1970-01-01T00:00:00.000Z' });
    expect(await attempt().steps.step('one', work)).toEqual({ times: 1, at: '1970-01-01T00:00:00.000Z' });
    expect(times).toBe(1);
  });

  test('may give nothing', async () => {
    const { attempt } = newCall();
    let times = 0;
    const work = () => void (times += 1);
    expect(await attempt().steps.step('one', work)).toBeUndefined();
    expect(await attempt().steps.step('one', work)).toBeUndefined();
    expect(times).toBe(1);
  });

  test('that throws keeps nothing', async () => {
    const { attempt, kept } = newCall();
    await expect(attempt().steps.step('one', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(kept.size).toBe(0);
    expect(await attempt().steps.step('one', () => 1)).toBe(1);
  });

  test('has a name of its own in its attempt, of 1 to 200 characters', async () => {
    const { steps } = newCall().attempt();
    await steps.step('one', () => 1);
    await expect(steps.step('one', () => 2)).rejects.toThrow('two steps with the name "one"');
    await expect(steps.sleep('one', 1)).rejects.toThrow('two steps with the name "one"');
    await expect(steps.step('', () => 1)).rejects.toThrow('1 to 200 characters');
    await expect(steps.step('x'.repeat(201), () => 1)).rejects.toThrow('1 to 200 characters');
  });

  test('has no other within it: a rest would cut it off', async () => {
    const { steps } = newCall().attempt();
    await expect(steps.step('outer', async () => steps.sleep('inner', 10))).rejects.toThrow('"inner" is within the step "outer"');
  });

  test('cannot become a sleep', async () => {
    const { attempt } = newCall();
    await attempt().steps.step('one', () => 1);
    await expect(attempt().steps.sleep('one', 10)).rejects.toThrow('"one" is a sleep now and was a step in an earlier attempt');
  });
});

describe('a sleep', () => {
  test('ends the attempt until its time, which later attempts keep', async () => {
    const { attempt, clock } = newCall();
    const first = attempt();
    const slept = first.steps.sleep('nap', 500);
    expect(await Promise.race([slept, soon().then(() => never)])).toBe(never);
    expect(first.rests).toEqual([{ name: 'nap', reason: 'sleep', until: 1_000_500 }]);
    // A worker was lost: the time is that of the first attempt.
    clock.now += 200;
    const second = attempt();
    void second.steps.sleep('nap', 500);
    await soon();
    expect(second.rests).toEqual([{ name: 'nap', reason: 'sleep', until: 1_000_500 }]);
    clock.now = 1_000_500;
    const third = attempt();
    await third.steps.sleep('nap', 500);
    await soon();
    expect(third.rests).toEqual([]);
  });

  test('waits until no step runs, and of several the first to end is the rest', async () => {
    const { attempt, kept } = newCall();
    const { steps, rests } = attempt();
    const gate = Promise.withResolvers<number>();
    void Promise.all([steps.sleep('long', 900), steps.step('slow', async () => gate.promise), steps.sleep('short', 300)]);
    await soon();
    expect(rests).toEqual([]);
    gate.resolve(7);
    await soon();
    expect(rests.map(({ name, until }) => [name, until])).toEqual([
      ['short', 1_000_300],
      ['long', 1_000_900],
    ]);
    expect(kept.get('slow')).toEqual({ kind: 'step', data: 7 });
  });

  test('takes a date, and a time that has gone is over', async () => {
    const { attempt } = newCall();
    const { steps, rests } = attempt();
    await steps.sleep('gone', new Date(1));
    await steps.sleep('none', 0);
    void steps.sleep('date', new Date(1_000_700));
    await soon();
    expect(rests).toEqual([{ name: 'date', reason: 'sleep', until: 1_000_700 }]);
  });

  test('is a time of at most a year', async () => {
    const { steps } = newCall().attempt();
    await expect(steps.sleep('nan', Number.NaN)).rejects.toThrow('milliseconds or a date');
    await expect(steps.sleep('endless', Number.POSITIVE_INFINITY)).rejects.toThrow('longer than a year');
  });
});

describe('a question', () => {
  const form = { message: 'Which size?', schema: z.object({ size: z.enum(['s', 'm']), gift: z.boolean().optional() }) };

  test('is put once, rests, and gives the answer to every later attempt', async () => {
    const { attempt, asked, kept } = newCall();
    for (const { steps, rests } of [attempt(), attempt()]) {
      void steps.ask('size', { ...form, expiresMs: 500 });
      await soon();
      expect(rests).toMatchObject([{ name: 'size', reason: 'question', until: 1_000_500, inputRequest: asked[0]?.id }]);
    }
    expect(new Set(asked.map(({ id }) => id)).size).toBe(1);
    expect(asked[0]).toMatchObject({ message: 'Which size?', until: 1_000_500, schema: { type: 'object', required: ['size'] } });
    kept.set(answerOf('size'), { kind: 'answer', data: { action: 'accept', content: { size: 'm' } } });
    for (const { steps } of [attempt(), attempt()])
      expect(await steps.ask('size', form)).toEqual({ action: 'accept', content: { size: 'm' } });
  });

  test('may be declined, and is a yes or a no without a schema', async () => {
    const { attempt, kept } = newCall();
    kept.set(answerOf('sure'), { kind: 'answer', data: { action: 'decline' } });
    expect(await attempt().steps.ask('sure', { message: 'Sure?' })).toEqual({ action: 'decline' });
    kept.set(answerOf('really'), { kind: 'answer', data: { action: 'accept', content: {} } });
    expect(await attempt().steps.ask('really', { message: 'Really?' })).toEqual({ action: 'accept', content: {} });
  });

  test('that nobody answers in time is a failure that no retry mends', async () => {
    const { attempt, clock } = newCall();
    void attempt().steps.ask('size', { ...form, expiresMs: 500 });
    await soon();
    clock.now = 1_000_500;
    for (const { steps } of [attempt(), attempt()])
      await expect(steps.ask('size', form)).rejects.toMatchObject({ kind: 'timeout', retryable: false });
  });

  test('has a form, and words', async () => {
    const { steps } = newCall().attempt();
    await expect(steps.ask('a', { message: '' })).rejects.toThrow('1 to 2000 characters');
    await expect(steps.ask('b', { message: 'x', schema: z.object({ deep: z.object({}) }) })).rejects.toThrow('plain fields: "deep"');
    await expect(steps.ask('c', { message: 'x', expiresMs: Number.POSITIVE_INFINITY })).rejects.toThrow('at most a year');
    await steps.step('d', () => 1);
    await expect(steps.ask('d', { message: 'x' })).rejects.toThrow('two steps with the name');
  });
});

describe('an account', () => {
  /** Of a user whose account comes and goes. */
  function newAccount() {
    const put: AskedConnection[] = [];
    const state: { missing: MissingAccount | null } = { missing: { kind: 'missing', why: 'none', message: 'Connect your mail account' } };
    const records: AccountRecords = {
      access: async (refused) =>
        state.missing ?? {
          kind: 'access',
          token: refused === undefined ? 'one' : 'two',
          header: { name: 'Authorization', value: 'Bearer' },
        },
      ask: async (asked) => void put.push(asked),
    };
    return { put, state, records };
  }

  test('that is there gives its token, and another one for one that was refused, and is never asked for', async () => {
    const account = newAccount();
    account.state.missing = null;
    const { attempt, kept } = newCall(account.records);
    const { steps } = attempt();
    expect([(await steps.account()).token, (await steps.account('one')).token]).toEqual(['one', 'two']);
    expect([kept.size, account.put]).toEqual([0, []]);
  });

  test('that is missing is asked for once, and every attempt rests for it until it is there', async () => {
    const account = newAccount();
    const { attempt } = newCall(account.records);
    for (let number = 0; number < 2; number++) {
      const { steps, rests } = attempt();
      expect(await Promise.race([steps.account(), soon().then(() => never)])).toBe(never);
      expect(rests).toMatchObject([{ reason: 'connection', inputRequest: account.put[0]?.id }]);
    }
    expect(new Set(account.put.map(({ id }) => id)).size).toBe(1);
    account.state.missing = null;
    expect((await attempt().steps.account()).token).toBe('one');
  });

  test('rests also within a step, which ends with it', async () => {
    const { attempt } = newCall(newAccount().records);
    const { steps, rests } = attempt();
    void steps.step('send', async () => (await steps.account()).token);
    await soon();
    expect(rests).toMatchObject([{ reason: 'connection' }]);
  });

  test('that is lost again is asked for again; a no and the end of the time end the call', async () => {
    const account = newAccount();
    const { attempt, kept, clock } = newCall(account.records);
    void attempt().steps.account();
    await soon();
    kept.set(answerOf(connectionStep(1)), { kind: 'answer', data: { action: 'accept' } });
    void attempt().steps.account();
    await soon();
    expect(account.put.length).toBe(2);
    kept.set(answerOf(connectionStep(2)), { kind: 'answer', data: { action: 'decline' } });
    await expect(attempt().steps.account()).rejects.toMatchObject({ error: { code: 'PERMISSION_DENIED', native_code: 'DECLINED' } });
    kept.delete(answerOf(connectionStep(2)));
    clock.now += 86_400_001;
    await expect(attempt().steps.account()).rejects.toMatchObject({ kind: 'timeout', retryable: false });
  });

  test('of a provider that nobody has set up is refused at once', async () => {
    const account = newAccount();
    account.state.missing = { kind: 'missing', why: 'provider', message: 'no provider' };
    const { steps } = newCall(account.records).attempt();
    await expect(steps.account()).rejects.toMatchObject({ error: { native_code: 'NO_PROVIDER' } });
    await expect(newCall(null).attempt().steps.account()).rejects.toThrow('not known here');
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { defineTool, Refusal, type ApprovalRule, type Caller, type ToolContract } from '#lib/contracts';
import { expressionFaults } from './expression-faults.js';
import { CallRules } from './call-rules.js';
import { readyPolicy, type ReadyPolicy } from './policy-directory.js';
import type { PolicyRow } from './policy-store.js';
import { nothingSpent, type TenantSpent } from './tenant-spent.js';

const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: ['tools:write'], credentialId: 'k' };

const now = Date.UTC(2030, 0, 31, 22, 30);

const refund = (approval: true | ApprovalRule) =>
  defineTool({
    name: 'refund',
    version: '1.2.0',
    title: 'Refund',
    description: 'Pay back.',
    domain: 'profile',
    effect: 'write',
    input: z.strictObject({
      amount: z.number(),
      note: z.string().optional(),
      items: z.array(z.strictObject({ n: z.number() })).optional(),
    }),
    output: z.strictObject({ id: z.string() }),
    errors: {},
    timeoutMs: 1_000,
    estimatedTokens: 1,
    approval,
    examples: [{ input: { amount: 1 }, output: { id: 'a' } }],
  });

interface Doubles {
  readonly warn?: (line: unknown) => void;
  readonly spent?: TenantSpent['of'];
}

/** Of a tenant with these policies. */
function rulesOf(policies: readonly ReadyPolicy[] = [], { warn = () => undefined, spent = async () => nothingSpent }: Doubles = {}) {
  return new CallRules({ catalog: { tools: [] }, log: { warn } }, { of: () => policies }, { spent: { of: spent } });
}

function asked(when: string, input: Record<string, unknown>) {
  const faults: unknown[] = [];
  const rules = rulesOf([], { warn: (line) => faults.push(line) });
  return { needed: rules.approvalFor(refund({ when }), input, { caller, now }) !== null, faults: faults.length };
}

describe('a condition', () => {
  test.each<[string, Record<string, unknown>, boolean]>([
    ['args.amount > 100', { amount: 100 }, false],
    ['args.amount > 100', { amount: 100.5 }, true],
    ['args.amount >= 100.0 && tool.effect == "write"', { amount: 100 }, true],
    ['has(args.note)', { amount: 1 }, false],
    ['has(args.note) && args.note.startsWith("x")', { amount: 1, note: 'xy' }, true],
    ['args.items.exists(i, i.n > 2)', { amount: 1, items: [{ n: 1 }, { n: 3 }] }, true],
    ['caller.tier in ["free", "pro"]', { amount: 1 }, true],
    ['!("approvals" in caller.scopes) && caller.user == "u" && caller.tenant == "t" && caller.key == "k"', { amount: 1 }, true],
    ['now.getHours("Europe/Berlin") == 23 && now > timestamp("2030-01-01T00:00:00Z")', { amount: 1 }, true],
    ['tool.name == "refund" && tool.version == "1.2.0" && tool.domain == "profile" && !tool.served', { amount: 1 }, true],
  ])('%s of %j is %s', (when, input, needed) => {
    expect(asked(when, input)).toEqual({ needed, faults: 0 });
  });

  test('that cannot be worked out asks, and is told', () => {
    expect(asked('args.note == "x"', { amount: 1 })).toEqual({ needed: true, faults: 1 });
    expect(asked('args.amount > ', { amount: 1 })).toEqual({ needed: true, faults: 1 });
  });

  test.each([
    ['args.amount >', 'Unexpected token'],
    ['args.amount + 1', 'must be true or false'],
    ['"text"', 'must be true or false, and is of the type string'],
    ['process.exit()', 'Unknown variable'],
    ['args.note.matches("(a+)+$")', 'must not use matches'],
    ['cel.bind(a, args.items + args.items, a.size() > 1)', 'must not use bind'],
    ['tool.nam == "refund"', 'No such key: nam'],
    ['spent.day_micros > 1', 'Unknown variable'],
    ['args.items.exists(i, args.items.exists(j, i.n == j.n))', 'must not have a loop within a loop'],
    [`${'args.amount > 1 || '.repeat(200)}true`, 'at most 2000 characters'],
    [`${'('.repeat(100)}true${')'.repeat(100)}`, 'depth'],
  ])('%s is refused: %s', (when, why) => {
    const [fault] = expressionFaults(refund({ when }));
    expect(fault?.toLowerCase()).toContain(why.toLowerCase());
  });

  test('whatever text it is, it gives an answer and touches nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^(args|caller|tool)(\.[a-z_]+|\["[a-z_]+"\]){1,3}( (==|>|in|&&) .{1,8})?$/)),
        (when) => {
          expect(asked(when, { amount: 1 }).needed === true || asked(when, { amount: 1 }).faults === 0).toBe(true);
        },
      ),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

test('a rule has defaults, and a tool without one asks nobody', () => {
  const rules = rulesOf();
  expect(rules.approvalFor(refund(true), { amount: 1 }, { caller, now })).toEqual({
    when: null,
    message: 'May Refund be called with these parameters?',
    expiresMs: 86_400_000,
    self: false,
  });
  const { approval: _, ...without } = refund(true);
  expect(rules.approvalFor(without, { amount: 1 }, { caller, now })).toBeNull();
});

/** What the policies of a tenant make of a call. */
function ruled(
  when: readonly (readonly [name: string, when: string, then: 'deny' | 'ask', more?: Partial<PolicyRow>])[],
  approval?: ApprovalRule,
) {
  const policies = when.map(([name, text, then, more]) => readyPolicy({ ...blank, name, when: text, then, ...more }));
  const rules = rulesOf(policies);
  const contract = refund(approval ?? { when: 'false' });
  return (input: Record<string, unknown>) => rules.approvalFor(contract, input, { caller, now });
}

const blank: PolicyRow = {
  tenantId: 't',
  name: 'p',
  when: 'true',
  then: 'deny',
  message: null,
  expiresMs: null,
  self: false,
  revision: 1n,
  createdAt: new Date(0),
  updatedAt: new Date(0),
};

const refusalOf = (work: () => unknown): Refusal => {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('nothing was refused');
};

describe('policies', () => {
  test('the first by name that holds counts', () => {
    const call = ruled([
      ['a', 'args.amount > 1000', 'deny', { message: 'Never so much.' }],
      ['b', 'args.amount > 100', 'ask', { message: 'May it?', expiresMs: 5_000n, self: true }],
      ['c', 'true', 'deny'],
    ]);
    expect(refusalOf(() => call({ amount: 5_000 })).error).toMatchObject({
      family: 'PERMISSION_DENIED',
      native_code: 'POLICY',
      message: 'Never so much.',
      extra: { policy: 'a' },
    });
    expect(call({ amount: 500 })).toEqual({ when: null, message: 'May it?', expiresMs: 5_000, self: true });
    expect(refusalOf(() => call({ amount: 5 })).error.extra).toEqual({ policy: 'c' });
  });

  test('one that cannot be worked out denies, and says so', () => {
    const { error } = refusalOf(() => ruled([['x', 'args.note == "a"', 'ask']])({ amount: 1 }));
    expect(error).toMatchObject({ native_code: 'POLICY', message: expect.stringContaining('No such key: note'), extra: { policy: 'x' } });
    const unread = refusalOf(() => ruled([['y', 'args.amount >', 'ask']])({ amount: 1 }));
    expect(unread.error.extra).toEqual({ policy: 'y' });
  });

  test('where policy and contract ask, the caller decides only if both allow it', () => {
    const selves = [
      ruled([['a', 'true', 'ask', { self: true }]], { self: true })({ amount: 1 }),
      ruled([['a', 'true', 'ask', { self: true }]], { self: false })({ amount: 1 }),
      ruled([['a', 'true', 'ask', { self: false }]], { self: true })({ amount: 1 }),
    ].map((approval) => approval?.self);
    expect(selves).toEqual([true, false, false]);
  });

  test('whatever works too long on large parameters is ended, and denied', () => {
    const items = Array.from({ length: 20_000 }, (_, n) => ({ n }));
    const startedAt = performance.now();
    const { error } = refusalOf(() => ruled([['a', 'args.items.map(i, args.items + args.items).size() > 1', 'ask']])({ amount: 1, items }));
    expect(error).toMatchObject({ native_code: 'POLICY', message: expect.stringContaining('took more than 10 ms') });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});

test('the order and the outcome are those of looking at one after the other', () => {
  const rule = fc.record({
    above: fc.integer({ min: 0, max: 20 }),
    then: fc.constantFrom('deny' as const, 'ask' as const),
    broken: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 8 }), fc.integer({ min: 0, max: 20 }), (rules, amount) => {
      const call = ruled(
        rules.map(({ above, then, broken }, place) => [`p${place}`, broken ? 'args.none > 1' : `args.amount > ${above}`, then] as const),
      );
      const first = rules.findIndex(({ above, broken }) => broken || amount > above);
      const found = rules[first];
      if (!found) return expect(call({ amount })).toBeNull();
      if (found.broken || found.then === 'deny')
        return expect(refusalOf(() => call({ amount })).error.extra).toEqual({ policy: `p${first}` });
      expect(call({ amount })?.message).toContain(`'p${first}'`);
    }),
  );
});

test('a policy looks at what the tenant has spent, and nobody reads that for another one', async () => {
  const reads: string[] = [];
  const denying = (...texts: string[]) =>
    rulesOf(
      texts.map((when) => readyPolicy({ ...blank, when, then: 'deny' })),
      {
        spent: async (tenant) => {
          reads.push(tenant);
          return Promise.resolve({ day_micros: 500n, month_micros: 9_000_000_000_000n });
        },
      },
    );
  expect(denying('args.amount > 5').spentFor(caller, now)).toBeNull();
  expect(denying('args.spent > 5 || caller.user == "spent.day_micros"').spentFor(caller, now)).toBeNull();
  expect(reads).toEqual([]);
  for (const [when, isDenied] of [
    ['spent.day_micros >= 500', true],
    ['spent.day_micros > 500', false],
    ['spent.month_micros > 8999999999999 && args.amount > 0', true],
  ] as const) {
    const rules = denying(when);
    const spent = await rules.spentFor(caller, now);
    const look = () => rules.approvalFor(refund({ when: 'false' }), { amount: 1 }, { caller, now, spent });
    if (isDenied) expect(look).toThrow(/does not allow/);
    else expect(look()).toBeNull();
  }
  expect(reads).toEqual([caller.tenantId, caller.tenantId, caller.tenantId]);
});

describe('a call that code of a model makes', () => {
  const byCode: Caller = { ...caller, byCode: true };
  const needed = (contract: ToolContract, by: Caller, policies: readonly PolicyRow[] = []) => {
    return rulesOf(policies.map(readyPolicy)).approvalFor(contract, { amount: 1 }, { caller: by, now });
  };
  const { approval: _approval, ...plain } = refund(true);

  test('waits for a person where it changes something', () => {
    expect(needed(plain, byCode)).toMatchObject({ message: 'Code of a model calls Refund. May it, with these parameters?', self: true });
    expect(needed(plain, caller)).toBeNull();
    expect(needed({ ...plain, effect: 'read' }, byCode)).toBeNull();
    expect(needed({ ...refund(true), approval: { when: 'false' } }, byCode)).toMatchObject({ self: true });
  });

  test('is for those to decide whom the contract or a policy names', () => {
    expect(needed(refund({ message: 'Pay?' }), byCode)).toMatchObject({ message: 'Pay?', self: false });
  });
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { defineTool, type ApprovalRule, type Caller } from '#lib/contracts';
import { approvalFaults } from './approval-faults.js';
import { ApprovalRules } from './approval-rules.js';

const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: ['tools:write'], credentialId: 'k' };

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

function asked(when: string, input: Record<string, unknown>) {
  const faults: unknown[] = [];
  const rules = new ApprovalRules({ onFault: (_, error) => faults.push(error) });
  return { needed: rules.for(refund({ when }), input, caller) !== null, faults: faults.length };
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
    ['args.items.exists(i, args.items.exists(j, i.n == j.n))', 'must not have a loop within a loop'],
    [`${'args.amount > 1 || '.repeat(200)}true`, 'at most 2000 characters'],
    [`${'('.repeat(100)}true${')'.repeat(100)}`, 'depth'],
  ])('%s is refused: %s', (when, why) => {
    const [fault] = approvalFaults(refund({ when }));
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
  const rules = new ApprovalRules({ onFault: () => undefined });
  expect(rules.for(refund(true), { amount: 1 }, caller)).toEqual({
    when: null,
    message: 'May Refund be called with these parameters?',
    expiresMs: 86_400_000,
    self: false,
  });
  const { approval: _, ...without } = refund(true);
  expect(rules.for(without, { amount: 1 }, caller)).toBeNull();
});

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ToolContract } from '../define-tool.js';
import type { Caller } from '../scopes.js';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { canonicalJson, fingerprint, inputFingerprint, invocationKey } from './invocation-key.js';

const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };

describe('canonical JSON', () => {
  test('does not depend on the order of keys and says the same value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const reversed = Object.fromEntries(Object.entries(object).toReversed());
        expect(canonicalJson(reversed)).toBe(canonicalJson(object));
        expect(JSON.parse(canonicalJson(object))).toEqual(JSON.parse(JSON.stringify(object)));
      }),
    );
  });

  test('different values have different forms', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const same = JSON.stringify(JSON.parse(canonicalJson(a))) === JSON.stringify(JSON.parse(canonicalJson(b)));
        expect(canonicalJson(a) === canonicalJson(b)).toBe(same);
      }),
    );
  });

  test.each([
    [{ a: '1', b: '2' }, { a: '1,b:2' }],
    [{ a: 1 }, { a: '1' }],
    [{ a: 'é' }, { a: 'e\u0301' }],
    [{ a: null }, {}],
    [['a', 'b'], ['a,b']],
  ])('%j is not %j', (a, b) => expect(fingerprint(a)).not.toBe(fingerprint(b)));

  test('numbers have one form', () => expect(canonicalJson({ a: 1.0, b: 1e2, c: -0 })).toBe('{"a":1,"b":100,"c":0}'));
});

describe('invocation keys', () => {
  const by = (who: Caller, sessionId: string | null = null) => ({ caller: who, sessionId });
  const input = { height_cm: 175, weight_kg: 70 };
  const key = invocationKey(calcMetrics, input, by(caller));

  test('keep callers and tenants apart, and not their credentials', () => {
    expect(invocationKey(calcMetrics, input, by({ ...caller, credentialId: 'other' }))).toBe(key);
    expect(invocationKey(calcMetrics, input, by({ ...caller, userId: 'v' }))).not.toBe(key);
    expect(invocationKey(calcMetrics, input, by({ ...caller, tenantId: 'v' }))).not.toBe(key);
    expect(invocationKey(calcMetrics, input, by({ ...caller, userId: null }))).not.toBe(
      invocationKey(calcMetrics, input, by({ ...caller, userId: null, credentialId: 'other' })),
    );
  });

  test('a shared scope leaves the caller out, key parameters leave the others out', () => {
    const shared = { ...calcMetrics, cache: { ttlSeconds: 1, scope: 'public', keyParams: ['height_cm'] } } as const;
    const base = invocationKey(shared, input, by(caller));
    expect(invocationKey(shared, { ...input, weight_kg: 1 }, by({ ...caller, tenantId: 'v', userId: 'w' }))).toBe(base);
    expect(invocationKey(shared, { ...input, height_cm: 1 }, by(caller))).not.toBe(base);
  });

  test('working sessions are kept apart where the contract says so', () => {
    const bound = { ...calcMetrics, perSession: true } as const;
    expect(invocationKey(bound, input, by(caller, 's1'))).not.toBe(invocationKey(bound, input, by(caller, 's2')));
    expect(invocationKey(calcMetrics, input, by(caller, 's1'))).toBe(key);
  });

  test('single flight has key parameters too', () => {
    const flying = { ...calcMetrics, cache: undefined, singleFlight: { windowMs: 1, keyParams: ['height_cm'] } } as const;
    const { cache: _none, ...coalesced } = flying;
    expect(invocationKey(coalesced, { ...input, weight_kg: 1 }, by(caller))).toBe(invocationKey(coalesced, input, by(caller)));
  });

  test('another version is another key', () =>
    expect(invocationKey({ ...calcMetrics, version: '2.0.1' }, input, by(caller))).not.toBe(key));
});

const someone = fc.record({
  tenantId: fc.string({ maxLength: 5 }),
  userId: fc.option(fc.string({ maxLength: 5 })),
  tier: fc.constantFrom('free', 'pro', 'vip'),
  scopes: fc.array(fc.string()),
  credentialId: fc.string({ maxLength: 5 }),
}) satisfies fc.Arbitrary<Caller>;
const parameters = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 });
const scoped = (scope: 'public' | 'tenant' | 'user'): ToolContract => ({ ...calcMetrics, cache: { ttlSeconds: 1, scope } });
/** Who a caller is where entries are kept by user. */
const identity = ({ tenantId, userId, credentialId }: Caller) =>
  JSON.stringify(userId === null ? [tenantId, 'key', credentialId] : [tenantId, 'user', userId]);

describe('over any callers and parameters', () => {
  test('equal parameters in any order have equal keys, different ones never', () => {
    fc.assert(
      fc.property(parameters, parameters, (one, other) => {
        const context = { caller, sessionId: null };
        const shuffled = Object.fromEntries(Object.entries(one).toReversed());
        expect(invocationKey(calcMetrics, shuffled, context)).toBe(invocationKey(calcMetrics, one, context));
        const same = canonicalJson(one) === canonicalJson(other);
        expect(invocationKey(calcMetrics, one, context) === invocationKey(calcMetrics, other, context)).toBe(same);
      }),
    );
  });

  test('entries of a user are shared by nobody else, not even by a user whose id is spelled like a key', () => {
    fc.assert(
      fc.property(someone, someone, (one, other) => {
        const [a, b] = [one, other].map((who) => invocationKey(scoped('user'), {}, { caller: who, sessionId: null }));
        expect(a === b).toBe(identity(one) === identity(other));
      }),
    );
    const user = invocationKey(scoped('user'), {}, { caller: { ...caller, userId: 'key:k' }, sessionId: null });
    const key = invocationKey(scoped('user'), {}, { caller: { ...caller, userId: null, credentialId: 'k' }, sessionId: null });
    expect(user).not.toBe(key);
  });

  test('entries of a tenant are shared within it alone, public ones by all', () => {
    fc.assert(
      fc.property(someone, someone, (one, other) => {
        const keys = (scope: 'tenant' | 'public') =>
          [one, other].map((who) => invocationKey(scoped(scope), {}, { caller: who, sessionId: null }));
        const [a, b] = keys('tenant');
        expect(a === b).toBe(one.tenantId === other.tenantId);
        expect(new Set(keys('public')).size).toBe(1);
      }),
    );
  });

  test('tier, scopes and session change nothing where the contract does not say so', () => {
    fc.assert(
      fc.property(someone, fc.option(fc.string()), (who, sessionId) => {
        const plain = invocationKey(calcMetrics, {}, { caller: { ...who, tier: 'free', scopes: [] }, sessionId: null });
        expect(invocationKey(calcMetrics, {}, { caller: who, sessionId })).toBe(plain);
      }),
    );
  });

  test('a session that is no session is not the same as one of any name', () => {
    const bound = { ...calcMetrics, perSession: true };
    fc.assert(
      fc.property(fc.string(), (sessionId) => {
        expect(invocationKey(bound, {}, { caller, sessionId })).not.toBe(invocationKey(bound, {}, { caller, sessionId: null }));
        expect(inputFingerprint(bound, {}, sessionId)).not.toBe(inputFingerprint(bound, {}, null));
        expect(inputFingerprint(calcMetrics, {}, sessionId)).toBe(inputFingerprint(calcMetrics, {}, null));
      }),
    );
  });
});

describe('what an idempotency key is compared by', () => {
  test('is the whole of the parameters, also those that the cache leaves out', () => {
    const keyed = { ...calcMetrics, cache: { ttlSeconds: 1, keyParams: ['a'] } };
    expect(inputFingerprint(keyed, { a: 1, b: 1 })).not.toBe(inputFingerprint(keyed, { a: 1, b: 2 }));
    expect(inputFingerprint(keyed, { a: 1, b: 2 })).toBe(inputFingerprint(keyed, { b: 2, a: 1 }));
  });

  test('is the tool and its version too', () => {
    const base = inputFingerprint(calcMetrics, {});
    expect(inputFingerprint({ ...calcMetrics, name: 'other' as 'calc_metrics' }, {})).not.toBe(base);
    expect(inputFingerprint({ ...calcMetrics, version: '2.0.1' }, {})).not.toBe(base);
  });
});

test('a key parameter that is not given is like one that is undefined, and unlike null', () => {
  const keyed = { ...calcMetrics, cache: { ttlSeconds: 1, keyParams: ['a'] } };
  const key = (input: Record<string, unknown>) => invocationKey(keyed, input, { caller, sessionId: null });
  expect(key({})).toBe(key({ a: undefined }));
  expect(key({})).not.toBe(key({ a: null }));
});

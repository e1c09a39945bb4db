import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Caller } from '../scopes.js';
import { calcMetrics } from '../tools/profile/calc-metrics.js';
import { canonicalJson, fingerprint, invocationKey } from './invocation-key.js';

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

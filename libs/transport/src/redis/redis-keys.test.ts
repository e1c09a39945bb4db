import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RedisKeys } from './redis-keys.js';
import { partitionOf } from './partition.js';

const keys = new RedisKeys('invoq');
const jobId = `inv_profile_${'0'.repeat(32)}`;

describe('a namespace', () => {
  test.each(['', 'Upper', 'a b', 'a:b', '{a}', 'a'.repeat(41)])('%j is refused, with the pattern that it must match', (name) => {
    expect(() => new RedisKeys(name)).toThrow('INVOQ_NAMESPACE must match [a-z0-9-]{1,40}');
  });

  test('keeps two installations on one Redis apart', () => {
    expect(new RedisKeys('a').invocation(jobId)).not.toBe(new RedisKeys('b').invocation(jobId));
  });
});

/** What Redis Cluster hashes: the text between the first braces. */
const tagOf = (key: string) => /\{([^}]*)\}/.exec(key)?.[1];

describe('the keys of one domain', () => {
  test('share a hash tag, so that one script may touch them all', () => {
    const all = [
      keys.invocation(jobId),
      keys.events(jobId),
      keys.sealed(jobId),
      keys.open(partitionOf('profile')),
      keys.openByTenant(partitionOf('profile')),
      keys.unqueued(partitionOf('profile')),
      keys.sweeper(partitionOf('profile'), 'overdue'),
      keys.rounds(partitionOf('profile')),
      keys.queue(partitionOf('profile'), 'prioritized'),
      keys.callerJobs(partitionOf('profile'), 'u'),
      keys.idempotency(partitionOf('profile'), ['u', 'tool', 'key']),
      keys.flight(partitionOf('profile'), 'f'),
      keys.cache(partitionOf('profile'), 'c'),
      keys.cacheTrust(partitionOf('profile')),
    ];
    expect(new Set(all.map(tagOf))).toEqual(new Set(['invoq:profile']));
    expect(new Set(all).size).toBe(all.length);
  });

  test('are not those of traces, whose lists have a slot each', () => {
    const lists = ['t', 'u'].flatMap((tenant) => Array.from({ length: 16 }, (_, n) => tagOf(keys.traces(tenant, n))));
    expect(new Set(lists).size).toBe(32);
    expect(tagOf(keys.traceAliases('u'))).toBeUndefined();
  });

  test('are other keys than those of another domain', () => {
    expect(keys.open(partitionOf('profile'))).not.toBe(keys.open(partitionOf('agent')));
    expect(tagOf(keys.open(partitionOf('agent')))).toBe('invoq:agent');
  });
});

describe('what comes from outside', () => {
  test('enters a key only as a hash: it cannot change the slot, nor be read', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), (text) => {
        for (const key of [
          keys.callerJobs(partitionOf('profile'), text),
          keys.ticket(text),
          keys.usedTicket(text),
          keys.guestTurns(text, text),
          keys.traceAliases(text),
        ]) {
          expect(key).not.toContain(text);
          expect(key).toMatch(/[A-Za-z0-9_-]{43}$/);
        }
      }),
    );
  });

  test('is told apart part by part: ["a", "bc"] is not ["ab", "c"]', () => {
    fc.assert(
      fc.property(fc.array(fc.string(), { minLength: 1 }), fc.array(fc.string(), { minLength: 1 }), (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        expect(keys.idempotency(partitionOf('profile'), one)).not.toBe(keys.idempotency(partitionOf('profile'), other));
      }),
    );
  });

  test('two counters of one caller share a slot', () => {
    expect(tagOf(keys.callsOfSecond('u', 'k'))).toBe(tagOf(keys.callsOfDay('u', '2026-11-21')));
    expect(tagOf(keys.callsOfSecond('u', 'k'))).not.toBe(tagOf(keys.callsOfSecond('v', 'k')));
  });
});

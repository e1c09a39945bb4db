import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { domainOfJob, newJobId, partitionOf } from './partition.js';
import { RedisKeys } from './redis-keys.js';

const keys = new RedisKeys('invoq');

describe('a job id', () => {
  test('names its domain, and no two are the same', () => {
    const ids = Array.from({ length: 1_000 }, () => newJobId(partitionOf('memo-tree')));
    expect(new Set(ids.map(domainOfJob))).toEqual(new Set(['memo-tree']));
    expect(new Set(ids).size).toBe(1_000);
  });

  test.each([
    '',
    'inv_',
    `inv_profile_${'0'.repeat(31)}`,
    `inv_profile_${'0'.repeat(33)}`,
    `inv_Profile_${'0'.repeat(32)}`,
    `inv__${'0'.repeat(32)}`,
    `inv_profile_${'G'.repeat(32)}`,
    `inv_profile_${'0'.repeat(32)}\n`,
    `xinv_profile_${'0'.repeat(32)}`,
  ])('%j is none', (text) => {
    expect(domainOfJob(text)).toBeNull();
    expect(() => keys.invocation(text)).toThrow('Not a job id');
  });

  test('is never anything that a client made up', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(domainOfJob(text)).toBeNull()));
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Caller } from '#lib/contracts';
import { createDatabase, type Database } from '#lib/platform';
import { givenStores } from '#lib/testing';
import type { Authority, ToolAnswer } from '../gateway-client.js';
import { UserFacts } from './user-facts.js';

describe('what is known of a user', () => {
  let database: Database;
  const tenantId = `facts-${randomUUID()}`;
  beforeAll(() => {
    database = createDatabase({ url: givenStores().databaseUrl, poolSize: 2, name: 'facts-test' });
  });
  afterAll(async () => {
    await database.skillData.deleteMany({ where: { tenantId } });
    await database.$disconnect();
  });
  const newUser = (): Caller => ({ tenantId, userId: randomUUID(), tier: 'free', scopes: [], credentialId: 'k' });
  const authorityOf = (caller: Caller, signal = new AbortController().signal): Authority => ({
    token: 't',
    caller,
    jobId: 'j',
    traceId: 'trace_1',
    signal,
  });

  /** Facts whose gateway answers each call in turn, and what was logged. */
  function factsOf(...answers: readonly (ToolAnswer | Error)[]) {
    const calls: unknown[] = [];
    const warnings: unknown[] = [];
    const gateway = {
      call: async (name: string, input: unknown) => {
        const answer = answers[calls.push([name, input]) - 1] ?? new Error('no answer is left');
        if (answer instanceof Error) throw answer;
        return answer;
      },
    };
    const log = { warn: (fields: unknown) => void warnings.push(fields) };
    return { facts: new UserFacts({ gateway, database, log }), calls, warnings };
  }
  const failure = (code: string): ToolAnswer => ({ ok: false, error: { code, message: 'm', retryable: false } });
  const profile: ToolAnswer = { ok: true, data: { user_id: 'u', age: 36, last_updated: '2026-01-01' } };

  describe('the profile', () => {
    test('is read as the user, once, without our own ids and dates', async () => {
      const { facts, calls } = factsOf(profile);
      const user = newUser();
      expect(await facts.profile(authorityOf(user))).toEqual({ age: 36 });
      expect(await facts.profile(authorityOf(user))).toEqual({ age: 36 });
      expect(calls).toEqual([['user_profile_lookup', { user_id: user.userId }]]);
    });

    test('is read again for another credential of the same user, which may have other rights', async () => {
      const { facts, calls } = factsOf(profile, failure('PERMISSION_DENIED'));
      const user = newUser();
      await facts.profile(authorityOf(user));
      expect(await facts.profile(authorityOf({ ...user, credentialId: 'other' }))).toEqual({});
      expect(calls).toHaveLength(2);
    });

    test('that does not exist is empty, and is not asked for again', async () => {
      const { facts, calls } = factsOf(failure('RESOURCE_NOT_FOUND'));
      const user = newUser();
      for (let turn = 0; turn < 2; turn++) expect(await facts.profile(authorityOf(user))).toEqual({});
      expect(calls).toHaveLength(1);
    });

    test.each([
      ['the gateway is away', failure('NETWORK_ERROR')],
      ['the call throws', new Error('broken')],
    ])('is empty while %s, and is asked for again', async (_what, answer) => {
      const { facts } = factsOf(answer, profile);
      const user = newUser();
      expect(await facts.profile(authorityOf(user))).toEqual({});
      expect(await facts.profile(authorityOf(user))).toEqual({ age: 36 });
    });

    test('of a key without a user is empty', async () => {
      const { facts, calls } = factsOf();
      expect(await facts.profile(authorityOf({ ...newUser(), userId: null }))).toEqual({});
      expect(calls).toEqual([]);
    });

    test('throws the reason why the turn was stopped', async () => {
      const { facts } = factsOf(profile);
      await expect(facts.profile(authorityOf(newUser(), AbortSignal.abort(new Error('stopped'))))).rejects.toThrow('stopped');
    });
  });

  describe('skill data', () => {
    test('is what was saved last, by skill, at once in the process that saved it', async () => {
      const { facts } = factsOf();
      const user = newUser();
      expect(await facts.skillData(user)).toEqual({});
      await facts.saveSkillData(user, 'zodiac', { birth_date: '1990-05-20' });
      await facts.saveSkillData(user, 'bazi', { birth_date: '1990-05-20', gender: undefined });
      await facts.saveSkillData(user, 'zodiac', { birth_date: '1991-01-01' });
      expect(await facts.skillData(user)).toEqual({ bazi: { birth_date: '1990-05-20' }, zodiac: { birth_date: '1991-01-01' } });
      expect(await factsOf().facts.skillData(user)).toEqual(await facts.skillData(user));
    });

    test('is each user’s own', async () => {
      const { facts } = factsOf();
      const user = newUser();
      await facts.saveSkillData(user, 'bazi', { a: 1 });
      expect(await facts.skillData(newUser())).toEqual({});
      expect(await facts.skillData({ ...user, tenantId: `${tenantId}-2` })).toEqual({});
      expect(await facts.skillData({ ...user, userId: null })).toEqual({});
    });

    test('that cannot be saved is logged, and the turn goes on', async () => {
      const { facts, warnings } = factsOf();
      await facts.saveSkillData(newUser(), 'nul\0', { a: 1 });
      expect(warnings).toMatchObject([{ event: 'skill-data-lost' }]);
    });
  });
});

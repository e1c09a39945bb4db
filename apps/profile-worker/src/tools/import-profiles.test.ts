import { expect, test } from '@jest/globals';
import type { InputOf } from '#lib/client';
import type { ProductTools } from '#lib/contracts';
import { runTool } from '#lib/handlers';
import type { Profiles } from '../profiles.js';
import { handleImportProfiles } from './import-profiles.js';

type Row = InputOf<ProductTools, 'import_profiles'>['profiles'][number];

const row = (user_id: string, facts: Partial<Row> = {}): Row => ({
  user_id,
  age: 41,
  gender: 'other',
  height_cm: 172.5,
  weight_kg: 61,
  activity_level: 'very_active',
  health_goals: [],
  medical_conditions: [],
  dietary_restrictions: [],
  ...facts,
});

type Put = Parameters<Profiles['put']>;

/** Runs the tool on a table in which two of the rows are new and one is another. */
async function importRows(rows: readonly Row[], options: { readonly dry_run?: boolean } = {}) {
  const puts: Put[] = [];
  const profiles: Profiles = {
    find: () => Promise.reject(new Error('unused')),
    put: async (...given) => {
      puts.push(given);
      return { added: 2, changed: 1 };
    },
  };
  const caller = { tenantId: 't', userId: 'admin', tier: 'pro', scopes: ['tenant:admin'], credentialId: 'k' } as const;
  const result = await runTool(
    handleImportProfiles,
    { profiles, bmiStandard: 'who' },
    {
      jobId: 'j',
      number: 1,
      input: { profiles: rows, dry_run: false, ...options },
      caller,
      sessionId: null,
      stop: new AbortController().signal,
      onProgress: () => undefined,
    },
  );
  return { puts, result };
}

test('rows go to the tenant of the caller with their times in UTC, and the answer counts those that are as they were', async () => {
  const { puts, result } = await importRows([row('u1', { last_updated: '2026-11-21T09:30:00+15:59' }), row('u2'), row('u3'), row('u4')]);
  expect(result).toMatchObject({ kind: 'done', data: { added: 2, changed: 1, unchanged: 1 } });
  expect(puts).toEqual([
    ['t', [row('u1', { last_updated: '2026-11-20T17:31:00.000Z' }), row('u2'), row('u3'), row('u4')], { isDryRun: false }],
  ]);
});

test('a dry run is one at the database', async () => {
  expect((await importRows([row('u')], { dry_run: true })).puts[0]?.[2]).toEqual({ isDryRun: true });
});

test.each([
  ['a user twice', [row('a'), row('b'), row('a')], 'USER_REPEATED', 'profiles[2].user_id: the same user is in profiles[0] already'],
  ['a time long ago', [row('a', { last_updated: '1800-01-01T00:00:00Z' })], 'TIME_OUT_OF_RANGE', 'profiles[0].last_updated'],
  ['a time beyond', [row('a', { last_updated: '9999-12-31T23:59:59-01:00' })], 'TIME_OUT_OF_RANGE', 'profiles[0].last_updated'],
])('%s is refused before anything is stored', async (_what, rows, native_code, message) => {
  const { puts, result } = await importRows(rows);
  expect(result).toMatchObject({
    kind: 'refused',
    error: { code: 'INVALID_PARAMS', native_code, message: expect.stringContaining(message) },
  });
  expect(puts).toEqual([]);
});

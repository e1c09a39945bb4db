import { expect, test } from '@jest/globals';
import { calcMetrics, userProfileLookup, type Caller } from '#lib/contracts';
import { Registry } from './registry.js';

const caller: Caller = { tenantId: 't', userId: 'u', tier: 'pro', scopes: [], credentialId: 'k' };
const handler = (contract: typeof calcMetrics | typeof userProfileLookup) => ({ contract, run: async () => ({}) });

test('a contract without a handler does not boot, and the fix is named', () => {
  expect(() => new Registry('profile', [calcMetrics, userProfileLookup], [handler(calcMetrics)])).toThrow(
    /no handler for user_profile_lookup 2.0.0: write it in apps\/profile-worker\/src\/tools\/, then `npm run format` lists it/,
  );
});

test('a handler without a contract does not boot either', () => {
  expect(() => new Registry('profile', [calcMetrics], [handler(calcMetrics), handler(userProfileLookup)])).toThrow(
    /no contract user_profile_lookup 2.0.0 in the domain profile: write it in libs\/contracts\/src\/tools\/profile\/, then/,
  );
});

test('a complete one finds its handlers by name', () => {
  const registry = new Registry('profile', [calcMetrics], [handler(calcMetrics)]);
  expect(registry.find({ tool: 'calc_metrics', version: '2.0.0', caller })?.contract).toBe(calcMetrics);
  expect(registry.find({ tool: 'calc_metrics', version: '1.0.0', caller })).toBeUndefined();
});

import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { eventually, nativeShape, startTimeoutMs, type HttpCaller, type System } from '#lib/testing';
import { migrate } from '../../../scripts/provision/migrate.js';
import { givenStores } from '#lib/testing';
import { startPostgres, type PrivateStore } from '../../../scripts/provision/private-stores.js';
import { expectRefusal } from '../expectations.js';
import { importAll, startKnowledge } from '../knowledge-system.js';
import { verifies } from '../verifies.js';

jest.setTimeout(startTimeoutMs);

describe('without Postgres', () => {
  let postgres: PrivateStore;
  let system: System;
  let user: HttpCaller;

  beforeAll(async () => {
    postgres = await startPostgres();
    await migrate(postgres.url);
    system = await startKnowledge({ stores: { redisUrl: givenStores().redisUrl, databaseUrl: postgres.url } });
    user = await system.caller();
    await importAll(await system.admin(), 'stripe-onboarding', [
      { path: 'a.md', content: '---\ntitle: A\nsource_url: https://docs.stripe.com/a\n---\n\n## Payouts\n\nPayouts are daily.' },
    ]);
    expect((await user.call('citation_helper', { claim: 'payouts are daily' })).envelope.success).toBe(true);
  }, startTimeoutMs);
  afterAll(async () => {
    await system?.[Symbol.asyncDispose]();
    await postgres?.[Symbol.asyncDispose]();
  }, startTimeoutMs);

  verifies(
    ['AW-37', 'AW-39', 'ST-48'],
    'search is SERVICE_UNAVAILABLE after the rule’s retries, citing search_error after none; both heal',
    async () => {
      await postgres.kill('SIGKILL');
      const searched = await user.call('search_knowledge', { query: 'payouts' });
      const { metadata, error } = expectRefusal(searched, { status: 503, code: 'NETWORK_ERROR', native: 'SERVICE_UNAVAILABLE' });
      expect([metadata.attempts, error.retryable]).toEqual([4, true]);
      const native = await user.post('/aurawell/search_knowledge', { query: 'payouts again' });
      expect([native.status, native.as(nativeShape).error_code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
      const cited = await user.call('citation_helper', { claim: 'payouts are weekly' });
      const { metadata: once } = expectRefusal(cited, { status: 503, code: 'NETWORK_ERROR', native: 'search_error' });
      expect(once.attempts).toBe(1);
      await postgres.restart();
      await eventually(
        async () => (await user.call('search_knowledge', { query: 'payouts', collection: 'stripe-onboarding' })).envelope.success,
        {
          withinMs: 20_000,
          what: 'searching again',
        },
      );
    },
  );
});

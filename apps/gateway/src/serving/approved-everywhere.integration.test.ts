// What a person approves or removes at one gateway, and calls of it at another right afterwards.
import { expect, test } from '@jest/globals';
import { handle } from '#lib/serve';
import { HttpCaller, eventually, startTimeoutMs } from '#lib/testing';
import { z } from 'zod';
import { TestHttpGateway } from '../test-http-gateway.js';
import { contractOf } from './test-contract.js';
import { startOwnWorker } from './test-own-worker.js';

const pending = z.looseObject({ tools: z.array(z.looseObject({ name: z.string(), version: z.string(), fingerprint: z.string() })) });

test(
  'holds at every gateway once it is answered',
  async () => {
    await using gateway = await TestHttpGateway.start();
    await using second = await gateway.another();
    const { tenant } = gateway;
    const at = ({ port }: TestHttpGateway, key: string) => new HttpCaller(`http://127.0.0.1:${port}`, key);
    const admin = at(gateway, await tenant.key({ userId: null, tier: 'vip', scopes: ['tenant:admin', 'tools:read'] }));
    const user = at(second, await tenant.key({ tier: 'vip' }));
    const key = await tenant.key({ userId: null, scopes: ['tools:serve'] });
    for (const name of ['first_tool', 'second_tool', 'third_tool']) {
      const tool = handle(contractOf(name), async ({ text }) => ({ said: text }));
      const started = startOwnWorker(gateway, { key, tool });
      const [waiting] = await eventually(
        async () => {
          const { tools } = (await admin.get('/served-tools?state=pending')).as(pending);
          return tools.length > 0 && tools;
        },
        { withinMs: 30_000, what: 'a tool that waits for its approval' },
      );
      expect(waiting?.name).toBe(name);
      const { version = '', fingerprint } = waiting ?? {};
      expect((await admin.post('/served-tools/approvals', { tenant_id: tenant.id, name, version, fingerprint })).status).toBe(200);
      expect((await user.get(`/tools/${name}`)).status).toBe(200);
      await (await started).stop();
      expect((await admin.delete(`/served-tools/${name}/${version}?tenant_id=${tenant.id}`)).status).toBe(200);
      expect((await user.get(`/tools/${name}`)).status).toBe(404);
    }
  },
  startTimeoutMs,
);

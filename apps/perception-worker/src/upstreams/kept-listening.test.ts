import { expect, jest, test } from '@jest/globals';
import { outsideServer, type OutsideServer } from '#lib/contracts';
import { KeptListening } from './kept-listening.js';
import { SilentUpstream, type Upstream } from './upstream.js';

class Listening extends SilentUpstream implements Upstream {
  readonly kind = 'mcp';
  isClosed = false;

  async list() {
    return { tools: [], malformed: [] };
  }

  async call(): Promise<never> {
    throw new Error('no call uses it');
  }

  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const serverCalled = (name: string): OutsideServer =>
  outsideServer.parse({
    id: name,
    stdio: null,
    kind: 'mcp',
    url: 'https://mcp.example.com',
    headers: null,
    tools: [],
    approval: 1,
    tenantId: null,
    timeoutMs: 1_000,
    cacheTtlSeconds: null,
  });

function keeping(count: number) {
  const kept = new KeptListening(100);
  const all = Array.from({ length: count }, () => new Listening());
  for (const [n, one] of all.entries()) kept.keep(serverCalled(n === 0 ? 'gone' : 'here'), Promise.resolve(one), 600_000);
  return { kept, all, closed: async () => (await soon(), all.flatMap(({ isClosed }, n) => (isClosed ? [n] : []))) };
}

const soon = async () => new Promise((resolve) => setTimeout(resolve, 10));

test('a hundred are kept, and the oldest closes for one more', async () => {
  const { kept, closed } = keeping(101);
  expect(await closed()).toEqual([0]);
  await kept.close();
  expect(await closed()).toHaveLength(101);
});

test('those of a server that was removed close', async () => {
  const { kept, closed } = keeping(3);
  await kept.leave(async ({ name }) => name === 'gone');
  expect(await closed()).toEqual([0]);
  await kept.close();
});

test('one closes after ten minutes', async () => {
  jest.useFakeTimers();
  const { all } = keeping(1);
  await jest.advanceTimersByTimeAsync(599_000);
  expect(all[0]?.isClosed).toBe(false);
  await jest.advanceTimersByTimeAsync(2_000);
  expect(all[0]?.isClosed).toBe(true);
  jest.useRealTimers();
});

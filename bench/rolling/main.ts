// `npm run bench:rolling`: gateways are replaced one after the other behind HAProxy, under load. No call may fail.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { print, runScript, step } from '#lib/command-line';
import { HttpCaller, startSystem } from '#lib/testing';
import { startStores } from '../../scripts/provision/private-stores.js';
import { newWeight, parametersOf } from '../load/parameters.js';
import { productionEnv } from '../system/production.js';
import { startBalancer } from './balancer.js';

const help = `Replaces two gateways behind HAProxy (ops/haproxy.cfg, without its retries) under load, and counts the calls that fail.

  npm run bench:rolling -- [--rounds 5] [--callers 16] [--notice 5000]

Fails if a call fails, or if there were fewer than 5,000. A notice shorter than two checks of the balancer shows what it is for.
`;

/** After a start, so that the balancer has seen that gateway before the next one goes: two checks. */
const betweenMs = 5_000;

await runScript(async () => {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', default: false },
      rounds: { type: 'string', default: '5' },
      callers: { type: 'string', default: '16' },
      notice: { type: 'string', default: '5000' },
    },
  });
  if (values.help) {
    print(help);
    return 0;
  }
  const rounds = z.coerce.number().int().min(1).max(100).parse(values.rounds);
  const callers = z.coerce.number().int().min(1).max(256).parse(values.callers);

  await using owner = new AsyncDisposableStack();
  const folder = owner.adopt(mkdtempDisposableSync(join(tmpdir(), 'invoq-rolling-')), (one) => one.remove());
  const stores = owner.use(await step('Private stores', startStores));
  const system = owner.use(
    await step('Two gateways and a worker', () =>
      startSystem({ stores, gateways: 2, env: { ...productionEnv, NOTICE_MS: values.notice } }),
    ),
  );
  const balancer = owner.use(
    await startBalancer(
      system.gateways.map(({ url }) => url),
      folder.path,
    ),
  );
  const caller = new HttpCaller(balancer.url, await system.tenant.key());

  const seen = new Map<string, number>();
  const count = (what: string): void => void seen.set(what, (seen.get(what) ?? 0) + 1);
  const over = new AbortController();
  const load = Array.from({ length: callers }, async () => {
    while (!over.signal.aborted) count(await outcomeOf(caller));
  });
  await sleep(betweenMs);
  for (let round = 1; round <= rounds; round++)
    await step(`Round ${round} of ${rounds}`, async () => {
      for (const gateway of system.gateways) {
        await gateway.restart();
        await sleep(betweenMs);
      }
    });
  over.abort();
  await Promise.all(load);

  const { succeeded = 0, ...failed } = Object.fromEntries(seen);
  const failures = Object.values(failed).reduce((sum, times) => sum + times, 0);
  print(
    `${rounds * system.gateways.length} gateways replaced with a notice of ${values.notice} ms: ${failures} of ${succeeded + failures} calls failed`,
  );
  for (const [what, times] of Object.entries(failed)) print(`  ${times} × ${what}`);
  if (succeeded < 5_000) print('  fewer than 5,000 calls: this says little');
  return failures === 0 && succeeded >= 5_000 ? 0 : 1;
});

/** Every call is computed anew: an answer of the cache would need no worker. */
async function outcomeOf(caller: HttpCaller): Promise<string> {
  try {
    const { status } = await caller.request('/tools/calc_metrics', { method: 'POST', json: parametersOf(newWeight()) });
    return status === 200 ? 'succeeded' : `status ${status}`;
  } catch (error) {
    return error instanceof Error ? `${error.message}: ${error.cause instanceof Error ? error.cause.message : ''}` : String(error);
  }
}

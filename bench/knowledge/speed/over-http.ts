// The same searches as an agent makes them: through the gateway, the queue and one knowledge worker.
import { z } from 'zod';
import { startSystem } from '#lib/testing';
import { startRedis } from '../../../scripts/provision/private-stores.js';
import { productionEnv } from '../../system/production.js';
import { quantile } from './quantile.js';

const mains = { gateway: 'dist/apps/gateway/src/main.js', worker: 'dist/apps/knowledge-worker/src/main.js' };
const warmUps = 10;
const answer = z.object({
  success: z.boolean(),
  data: z.looseObject({ search_time_ms: z.number().optional(), retrieval_ms: z.number().optional() }).optional(),
  metadata: z.looseObject({ warnings: z.array(z.string()).optional() }),
});

/** Times of one tool over HTTP, in ms: of the whole call, and of the search in it as the tool reports it. */
export interface OverHttp {
  readonly tool: string;
  readonly p50: number;
  readonly p95: number;
  readonly searchP95: number;
  /** Answered by keywords alone, or not at all. */
  readonly degraded: number;
  readonly failed: number;
}

/** Asks one after the other. @param bodyOf parameters of one call of the tool */
export async function overHttp(
  databaseUrl: string,
  tools: Readonly<Record<string, () => Readonly<Record<string, unknown>>>>,
  calls: number,
): Promise<readonly OverHttp[]> {
  await using redis = await startRedis();
  await using system = await startSystem({ stores: { redisUrl: redis.url, databaseUrl }, mains, env: productionEnv });
  const key = await system.tenant.key();
  const results: OverHttp[] = [];
  for (const [tool, bodyOf] of Object.entries(tools))
    results.push(await ask(`${system.gateway.url}/tools/${tool}`, key, { tool, bodyOf, calls }));
  return results;
}

interface Asked {
  readonly tool: string;
  readonly bodyOf: () => Readonly<Record<string, unknown>>;
  readonly calls: number;
}

async function ask(url: string, key: string, { tool, bodyOf, calls }: Asked): Promise<OverHttp> {
  const whole: number[] = [];
  const search: number[] = [];
  let [degraded, failed] = [0, 0];
  for (let call = 0; call < warmUps + calls; call++) {
    const began = performance.now();
    const response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(bodyOf()),
    });
    const { data, metadata } = answer.parse(await response.json());
    const ms = performance.now() - began;
    if (call < warmUps) continue;
    whole.push(ms);
    // "No evidence" is an answer too.
    if (data) search.push(data.retrieval_ms ?? data.search_time_ms ?? 0);
    else if (response.status !== 404) failed += 1;
    if (metadata.warnings?.some((warning) => warning.includes('keywords alone'))) degraded += 1;
  }
  return { tool, p50: quantile(whole, 0.5), p95: quantile(whole, 0.95), searchP95: quantile(search, 0.95), degraded, failed };
}

import { z } from 'zod';
import type { Metacognition } from '#lib/contracts';
import { recordLifeMs } from '#lib/transport';
import type { Stores } from '../stores.js';
import type { Evaluated } from './checks.js';
import { secondLook, type Checker } from './metacognition.js';

const kept = z.union([
  z.strictObject({ checked: z.literal(true), needs_correction: z.literal(false) }),
  z.strictObject({ checked: z.literal(true), needs_correction: z.literal(true), correction: z.string() }),
]);

/**
 * Reviews of answers (TU-111), one for each call. Whoever polls a job again, resumes its stream or reads it at another gateway
 * gets the same review, and a model is asked once. A review that failed is not kept.
 */
export class ReviewCache {
  constructor(
    private readonly checker: Checker,
    private readonly stores: Pick<Stores, 'redis' | 'keys' | 'log'>,
  ) {}

  /** @param run the call, and a fingerprint of what its answer should be like; null for an answer from the cache */
  async of(evaluated: Evaluated, run: { readonly jobId: string; readonly asked: string } | null): Promise<Metacognition> {
    const { redis, keys, log } = this.stores;
    if (run === null) return secondLook(this.checker, evaluated, log);
    const key = keys.secondLook(run.jobId, run.asked);
    const known = readLook(await redis.get(key).catch(() => null));
    if (known) return known;
    const look = await secondLook(this.checker, evaluated, log);
    if (!look.checked) return look;
    // Of two readers who come at once, both get the review that was stored first.
    const first = await redis.set(key, JSON.stringify(look), 'PX', recordLifeMs, 'NX', 'GET').catch(() => null);
    return readLook(first) ?? look;
  }
}

function readLook(text: string | null): Metacognition | null {
  return text === null ? null : (kept.safeParse(JSON.parse(text)).data ?? null);
}

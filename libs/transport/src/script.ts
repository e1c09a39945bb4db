import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';

export type ScriptReply = string | number | null | readonly ScriptReply[];

/** One atomic step in Redis. Every script's source opens with its keys, arguments and results. */
export class Script {
  readonly #source: string;
  readonly #sha: string;

  constructor(source: string) {
    this.#source = source;
    this.#sha = hash('sha1', source, 'hex');
  }

  async run(redis: Redis, keys: readonly string[], args: readonly (string | number)[]): Promise<ScriptReply> {
    try {
      return reply(await redis.evalsha(this.#sha, keys.length, ...keys, ...args));
    } catch (error) {
      // A restarted Redis has forgotten its scripts.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
      return reply(await redis.eval(this.#source, keys.length, ...keys, ...args));
    }
  }
}

/** Redis is there and takes no writes for now: it is full, read-only, loading, or without its replicas. Nothing was written. */
export function isRefusedByRedis(error: unknown): boolean {
  return error instanceof Error && /^(OOM|READONLY|MISCONF|LOADING|BUSY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|TRYAGAIN) /.test(error.message);
}

function reply(value: unknown): ScriptReply {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (Array.isArray(value)) return value.map(reply);
  throw new TypeError(`A script answered with ${typeof value}`);
}

/** A reply that must be a list. */
export function listOf(reply: ScriptReply): readonly ScriptReply[] {
  if (Array.isArray(reply)) return reply;
  throw new TypeError('A script answered with no list');
}

// All keys of a namespace in a form in which two of them can be compared: without ids, times, signatures and who follows.
import type { Redis } from 'ioredis';

/**
 * Of BullMQ's own keys: its events and its counter of ids, which nobody reads, its settings, and what wakes workers. Of ours: what a turn took,
 * by which it is known when it is sent again, and what a worker offers for a moment.
 */
const leftOut = /:profile:(events|id|meta|marker|stalled-check)$|:taken:[^:]+$|:offer$/;
/** Sorted by time, in which those of one millisecond have any order. */
const byTime = /:(completed|failed|delayed|open|caller:[^:]+)$/;

/** Fields with who follows a call, and with the hours of bytes: one may begin between two walks. */
const otherEachTime = /^(listeners|heldHour|counted|\d+)$/;

type Names = (text: string) => string;

/** @param jobIds in the order in which the calls were accepted */
export async function keyspaceOf(redis: Redis, namespace: string, jobIds: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
  const names: Names = (text) =>
    jobIds
      .reduce((rest, jobId, index) => rest.replaceAll(jobId, `job-${index + 1}`), text)
      .replaceAll(namespace, 'namespace')
      // Epoch ms, and the same times 4096; the name of a write; what signs a head.
      .replaceAll(/\b1\d{12}\b/g, '1')
      .replaceAll(/\b7\d{15}\b/g, '7')
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}:\d+\b/g, 'WRITE')
      .replaceAll(/^a\.[\w-]{40,}$/g, 'MAC');
  const all: Record<string, unknown> = {};
  for (const key of (await redis.keys(`{${namespace}:*`)).toSorted()) {
    if (leftOut.test(key)) continue;
    const lifeMs = await redis.pttl(key);
    all[names(key)] = { hours: lifeMs < 0 ? null : Math.round(lifeMs / 3_600_000), value: await valueOf(redis, key, names) };
  }
  return all;
}

async function valueOf(redis: Redis, key: string, names: Names): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return Object.fromEntries(
        Object.entries(await redis.hgetall(key))
          .filter(([field]) => !otherEachTime.test(field))
          .map(([field, value]) => [field, parsed(names(value))]),
      );
    case 'list':
      return (await redis.lrange(key, 0, -1)).map(names);
    case 'set':
      return (await redis.smembers(key)).map(names).toSorted();
    case 'zset': {
      const flat = (await redis.zrange(key, '0', '-1', 'WITHSCORES')).map(names);
      const members = Array.from({ length: flat.length / 2 }, (_, index) => `${flat[index * 2]} ${flat[index * 2 + 1]}`);
      return byTime.test(key) ? members.toSorted() : members;
    }
    case 'stream':
      return (await redis.xrange(key, '-', '+')).flatMap(([id, fields]) =>
        // Calls that ended together are one entry.
        key.endsWith(':ended-together') ? JSON.parse(names(fields[1] ?? '')) : [[id.replace(/^\d{13}-\d+$/, 'TIME'), ...fields.map(names)]],
      );
    default:
      return parsed(names((await redis.get(key)) ?? ''));
  }
}

/** JSON as what it says, as its names may have any order. */
function parsed(value: string): unknown {
  return value.startsWith('{"') ? JSON.parse(value) : value;
}

// What a keyed call costs in Redis when 10 or 10,000 others wait in its line: the same.
import { Redis } from 'ioredis';
import { expect, test } from '@jest/globals';
import { startTimeoutMs } from '#lib/testing';
import { FlowLines, RedisKeys } from '#lib/transport';
import { startRedis } from '../../../scripts/provision/private-stores.js';

const calls = 500;
const rounds = 3;

interface Cost {
  readonly waiting: number;
  readonly commands: number;
  /** Of the processor, of Redis. */
  readonly micros: number;
}

test(
  'A call of a key takes as many commands, and as much time of Redis, with 10 as with 10,000 calls before it',
  async () => {
    await using store = await startRedis();
    const redis = new Redis(store.url);
    try {
      const keys = new RedisKeys('long-lines');
      const lines = new FlowLines(redis, keys);
      const line = { line: keys.flowLine(keys.flow('t', 'f'), '=17'), bounds: { number: 1, concurrency: 1, rate: null } };
      let [entered, holder] = [0, 'j0'];
      const enter = async () => lines.enter({ jobId: `j${entered++}`, tenant: `t${entered % 3}` }, [line]);
      const fill = async (until: number) => {
        for (let waiting = (await redis.zcard(`${keys.flowSlot()}line:${line.line}`)) - 1; waiting < until; waiting += 100)
          await Promise.all(Array.from({ length: Math.min(100, until - waiting) }, enter));
      };
      const used = async () => {
        const [stats, cpu] = [await redis.info('commandstats'), await redis.info('cpu')];
        const commands = [...stats.matchAll(/^cmdstat_(?!info)\S+:calls=(\d+)/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
        const seconds = ['used_cpu_user', 'used_cpu_sys'].map((name) => Number(new RegExp(`${name}:([\\d.]+)`).exec(cpu)?.[1]));
        return { commands, micros: seconds.reduce((sum, one) => sum + one, 0) * 1e6 };
      };
      /** One ends, the next has its turn, is looked up, and another one comes. */
      const measure = async (waiting: number): Promise<Cost> => {
        await fill(waiting);
        const before = await used();
        for (let call = 0; call < calls; call++) {
          const { granted } = await lines.leave(holder);
          [holder = ''] = granted;
          await lines.begin(holder);
          await enter();
          await lines.places([`j${entered - 1}`]);
        }
        const after = await used();
        return { waiting, commands: (after.commands - before.commands) / calls, micros: (after.micros - before.micros) / calls };
      };
      await enter();
      await measure(10);
      const few = Array.from<Cost>([]);
      for (let round = 0; round < rounds; round++) few.push(await measure(10));
      const many = Array.from<Cost>([]);
      for (let round = 0; round < rounds; round++) many.push(await measure(10_000));
      const least = (costs: readonly Cost[]) => Math.min(...costs.map(({ micros }) => micros));
      process.stdout.write(`of a call: ${JSON.stringify([few.at(-1), many.at(-1)])}, at least ${least(few)} and ${least(many)} µs\n`);
      expect(many.at(-1)?.waiting).toBe(10_000);
      expect(Math.abs((many[0]?.commands ?? 0) - (few[0]?.commands ?? 0))).toBeLessThan(0.5);
      expect(least(many)).toBeLessThan(2 * least(few));
    } finally {
      redis.disconnect();
    }
  },
  startTimeoutMs,
);

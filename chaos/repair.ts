import type { Lab } from '../test/lab/start-lab.js';

/** Gets everything up again after a fault that broke off half-way. */
export async function repair(lab: Lab): Promise<void> {
  const { redis, gateways, workers } = lab;
  await wakeAll(lab);
  if (redis.pid === undefined) await redis.restart();
  for (const process of [...gateways, ...workers]) if (process.pid === undefined) await process.start();
}

/** Nothing hangs any more. */
export async function wakeAll({ redis, gateways, workers }: Lab): Promise<void> {
  await redis.kill('SIGCONT');
  for (const process of [...gateways, ...workers]) process.resume();
}

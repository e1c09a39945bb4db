import type { Lab } from './lab.js';

/** Starts everything again after an injection that failed half-way. */
export async function repair(lab: Lab): Promise<void> {
  const { redis, apps } = lab;
  await resumeAll(lab);
  if (redis.pid === undefined) await redis.restart();
  for (const app of apps) if (!app.isRunning) await app.start();
}

/** Continues every process that a fault has paused. */
export async function resumeAll({ redis, apps }: Lab): Promise<void> {
  await redis.kill('SIGCONT');
  for (const app of apps) app.signal('SIGCONT');
}

import type { Lab } from './lab.js';

/** Starts everything again after an injection that failed half-way. */
export async function repair(lab: Lab): Promise<void> {
  const { redis, redisWay, postgres, postgresWay, apps } = lab;
  await resumeAll(lab);
  for (const way of [redisWay, postgresWay]) way.heal();
  for (const store of [redis, postgres]) if (store.pid === undefined) await store.restart();
  await startAll(apps);
}

/** Continues every process that a fault has paused. */
export async function resumeAll({ redis, postgres, apps }: Lab): Promise<void> {
  for (const store of [redis, postgres]) await store.kill('SIGCONT');
  for (const app of apps) app.signal('SIGCONT');
}

/** Starts the processes that do not run, at their addresses. */
export async function startAll(apps: Lab['apps']): Promise<void> {
  await Promise.all(apps.filter(({ isRunning }) => !isRunning).map((app) => app.start()));
}

// `npm stop`: stops what `npm start` or `npm run dev` runs on this data folder, in order, wherever it was started.
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError, loadDotEnv, print, runScript, step } from '#lib/command-line';
import { DataDir } from './provision/data-dir.js';

/** Longer than an app may take to stop. */
const stopWithinMs = 60_000;

await runScript(async () => {
  loadDotEnv();
  const dataDir = new DataDir();
  const pid = dataDir.supervisor();
  if (pid === undefined) return print(`Nothing runs on ${dataDir.path}.`);
  await step(`Stopping what runs on ${dataDir.path} (pid ${pid})`, async () => {
    process.kill(pid, 'SIGTERM');
    for (const deadline = performance.now() + stopWithinMs; dataDir.supervisor() === pid; await sleep(50))
      if (performance.now() > deadline)
        throw new CommandError(`pid ${pid} still runs after ${stopWithinMs / 1_000} s; kill -9 ${pid} ends it at once`);
  });
});

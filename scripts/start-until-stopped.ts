import { loadDotEnv } from './environment.js';
import { Local } from './local-run.js';
import { say, seconds } from './say.js';
import { listenForStop } from './stop-signal.js';
import { printWelcome } from './welcome.js';

/** Runs the whole product until someone stops it, and stops it in order. */
export async function startUntilStopped(onReady: (local: Local) => void = () => undefined): Promise<void> {
  loadDotEnv();
  const started = performance.now();
  const local = new Local();
  const stopAsked = new Promise<void>((onStop) => {
    listenForStop({
      onStop,
      onHurry: () => {
        local.supervisor.killAll();
        process.exit(130);
      },
    });
  });
  try {
    say('Starting Invoq…');
    const run = await Promise.race([local.start(), stopAsked]);
    if (run) {
      printWelcome(run, seconds(performance.now() - started));
      onReady(local);
      await stopAsked;
    }
    say('Stopping (ask again to stop at once)…');
  } finally {
    await local.stop();
  }
  say('Stopped.');
}

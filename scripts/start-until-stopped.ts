import { formatSeconds, listenForStop, loadDotEnv, print } from '#lib/command-line';
import { Local } from './local-run.js';
import { printAddresses } from './print-addresses.js';

/** Runs the whole product until someone stops it, and stops it in order. */
export async function startUntilStopped(onReady: (local: Local) => void = () => undefined): Promise<void> {
  loadDotEnv();
  const started = performance.now();
  const local = new Local();
  const stopAsked = new Promise<void>((onStop) => {
    listenForStop({
      onStop,
      onSecondStop: () => {
        local.supervisor.killAll();
        process.exit(130);
      },
    });
  });
  try {
    print('Starting Invoq…');
    const run = await Promise.race([local.start(), stopAsked]);
    if (run) {
      printAddresses(run, formatSeconds(performance.now() - started));
      onReady(local);
      await stopAsked;
    }
    print('Stopping (ask again to stop at once)…');
  } finally {
    await local.stop();
  }
  print('Stopped.');
}

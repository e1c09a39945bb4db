import { formatSeconds, listenForStop, loadDotEnv, print } from '#lib/command-line';
import { LocalProduct } from './local-run.js';
import { printAddresses } from './print-addresses.js';

/** Runs the whole product until someone stops it, and stops it in order. */
export async function startUntilStopped(onReady: (local: LocalProduct) => void = () => undefined): Promise<void> {
  loadDotEnv();
  const started = performance.now();
  const local = new LocalProduct();
  const stopRequested = new Promise<void>((onStop) => {
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
    const run = await Promise.race([local.start(), stopRequested]);
    if (run) {
      printAddresses(run, formatSeconds(performance.now() - started));
      onReady(local);
      await stopRequested;
    }
    print('Stopping (ask again to stop at once)…');
  } finally {
    await local.stop();
  }
  print('Stopped.');
}

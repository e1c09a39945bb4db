import { releaseMemoryOfStart } from '#lib/platform';
import { formatSeconds, listenForStop, loadDotEnv, print, printError, startCommand } from '#lib/command-line';
import { LocalProduct, type LocalRun } from './local-run.js';
import type { ProcessLayout } from './local-settings.js';
import { consoleTicket } from './console-ticket.js';
import { printAddresses } from './print-addresses.js';

interface StartOptions {
  /** How workers share processes where the setting WORKERS does not say it. */
  readonly layout: ProcessLayout;
  readonly onReady?: (local: LocalProduct, run: LocalRun) => void;
}

/** Runs the whole product until someone stops it, and stops it in order. */
export async function startUntilStopped({ layout, onReady }: StartOptions): Promise<void> {
  loadDotEnv();
  const started = performance.now();
  const local = new LocalProduct(layout);
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
      const took = formatSeconds(performance.now() - started);
      // Last of all: it is good for a minute.
      printAddresses(run, took, await consoleTicket(run));
      releaseMemoryOfStart();
      onReady?.(local, run);
      const stopping = new AbortController();
      const lost = local.dataLost(stopping.signal).then(() => 'lost' as const);
      const end = await Promise.race([stopRequested, lost]);
      stopping.abort();
      if (end === 'lost')
        printError(`${local.dataDir.path} was deleted while it was in use: what runs on it stops. ${startCommand} begins anew.`);
    }
    print('Stopping (ask again to stop at once)…');
  } finally {
    await local.stop();
  }
  print('Stopped.');
}

// The system with the lab's tools besides the product's own. They fail, take long, return secrets and count, as a test asks.
import { startSystem, type System, type SystemOptions } from '#lib/testing';
import { Ledger } from '../lab/ledger-server.js';

const labMains = { gateway: 'dist/test/lab/lab-gateway-main.js', worker: 'dist/test/lab/lab-worker-main.js' };

export interface LabSystem extends AsyncDisposable {
  readonly system: System;
  readonly ledger: Ledger;
}

export async function startLabSystem(options: SystemOptions = {}): Promise<LabSystem> {
  await using started = new AsyncDisposableStack();
  const ledger = started.use(await Ledger.start());
  const system = started.use(
    await startSystem({ mains: labMains, ...options, workerEnv: { LEDGER_URL: ledger.url, ...options.workerEnv } }),
  );
  const owned = started.move();
  return { system, ledger, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

// A process of a user's worker, see `user-worker.ts`, for as long as it is not disposed of.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '#lib/command-line';
import { eventually, HttpCaller, TcpProxy } from '#lib/testing';
import type { Lab } from './lab.js';
import { servedFileFacts } from './load/served-file.js';
import { servedApprovedFacts, servedEffectFacts, servedStepsFacts } from './load/served-effect.js';

export interface UserWorker extends AsyncDisposable {
  readonly pid: number | undefined;
  readonly kill: () => void;
  /** Resolves when this gateway serves its tool. */
  readonly servedAt: (url: string) => Promise<void>;
}

/** @param url of the gateway that it connects to */
export async function startUserWorker(lab: Lab, url: string): Promise<UserWorker> {
  const key = await lab.system.tenant.key({ userId: null, scopes: ['tools:serve'], approvesTools: true });
  const env = { ...process.env, INVOQ_URL: url, INVOQ_API_KEY: key, LEDGER_URL: lab.ledger.url };
  const worker = spawn(process.execPath, [join(root, 'dist/chaos/user-worker.js')], { cwd: root, env, stdio: 'ignore' });
  return {
    pid: worker.pid,
    kill: () => void worker.kill('SIGKILL'),
    servedAt: async (gateway) => {
      const user = new HttpCaller(gateway, lab.apiKey);
      const isThere = async (name: string) => (await user.get(`/tools/${name}`)).status === 200;
      const names = [servedEffectFacts, servedStepsFacts, servedApprovedFacts, servedFileFacts].map(({ name }) => name);
      const areThere = async () => (await Promise.all(names.map(isThere))).every(Boolean);
      await eventually(areThere, { withinMs: 30_000, what: 'the tools of the workers' });
    },
    async [Symbol.asyncDispose]() {
      if (worker.exitCode === null && worker.signalCode === null && worker.kill('SIGKILL')) await once(worker, 'exit');
    },
  };
}

/** What may be struck: a worker, its connection, or its gateway. */
export type UserWorkerVictim = 'worker' | 'connection' | 'gateway';

/** Two workers of a user at two gateways. One of them, its connection or its gateway is the victim. */
export interface TwoUserWorkers extends AsyncDisposable {
  readonly victim: UserWorker;
  /** Of the gateway that is never struck. */
  readonly calmUrl: string;
  /** Strikes, and gives the time just before. */
  readonly strike: (what: UserWorkerVictim) => Promise<number>;
  /** Has a gateway that was struck begin again. */
  readonly heal: (what: UserWorkerVictim) => Promise<void>;
}

/** Resolves when both gateways serve their tools. */
export async function startTwoUserWorkers(lab: Lab): Promise<TwoUserWorkers> {
  await using started = new AsyncDisposableStack();
  const [gateway, other] = lab.system.gateways;
  if (!gateway || !other) throw new RangeError('it needs two gateways');
  const way = started.use(await TcpProxy.start(Number(new URL(gateway.url).port)));
  const victim = started.use(await startUserWorker(lab, way.inFrontOf(gateway.url)));
  const spare = started.use(await startUserWorker(lab, other.url));
  await Promise.all([victim.servedAt(gateway.url), spare.servedAt(other.url)]);
  const owned = started.move();
  return {
    victim,
    calmUrl: other.url,
    strike: async (what) => {
      const at = Date.now();
      if (what === 'worker') victim.kill();
      else if (what === 'connection') way.cut();
      else await gateway.kill();
      return at;
    },
    heal: async (what) => {
      if (what === 'gateway') await gateway.start();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

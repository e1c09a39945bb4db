// A process of a user's worker, see `user-worker.ts`, for as long as it is not disposed of.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '#lib/command-line';
import { eventually, HttpCaller } from '#lib/testing';
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

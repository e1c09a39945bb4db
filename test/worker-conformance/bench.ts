// What a case works with: a system of two gateways, the proxy before it, and the worker under test, started from its command.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { z } from 'zod';
import { acceptedShape, eventually, jobShape, startSystem, type HttpCaller, type System, type SystemOptions } from '#lib/testing';
import { WorkerProxy } from './worker-proxy.js';

/** The tools that the worker under test serves; docs/worker-protocol.md says what they do. */
export const toolNames = ['conformance', 'conformance_short', 'conformance_account'] as const;
/** For everything that the worker has to do in time. */
const withinMs = 30_000;

export interface Bench extends AsyncDisposable {
  readonly system: System;
  readonly proxy: WorkerProxy;
  readonly worker: ChildProcess;
  /** A user of the tenant, at the gateway that serves. */
  readonly user: HttpCaller;
  /** Everything goes to this gateway from now on. */
  readonly moveTo: (gateway: number) => void;
  /** Calls a tool without waiting. Resolves when its first attempt has gone to the worker. */
  readonly start: (act: string, tool?: string) => Promise<Started>;
  readonly ended: (started: Started) => Promise<z.output<typeof jobShape>>;
}

export interface Started {
  readonly jobId: string;
  /** Of the attempt that was sent first. */
  readonly attempt: string;
}

export const until = async <T>(what: string, condition: () => Promise<T> | T) => eventually(condition, { withinMs, what });

/** @param command of the worker and its arguments; INVOQ_URL and INVOQ_API_KEY are given to it */
export async function startBench(command: readonly string[], stores?: SystemOptions['stores']): Promise<Bench> {
  await using started = new AsyncDisposableStack();
  const system = started.use(await startSystem({ gateways: 2, workers: 0, ...(stores && { stores }) }));
  const proxy = started.use(await WorkerProxy.start(system.gateway.url));
  const key = await system.tenant.key({ userId: null, scopes: ['tools:serve'], serves: ['conformance'], approvesTools: true });
  const [file = '', ...args] = command;
  const worker = spawn(file, args, { env: { ...process.env, INVOQ_URL: proxy.url, INVOQ_API_KEY: key }, stdio: ['ignore', 2, 2] });
  started.defer(async () => {
    if (worker.exitCode !== null || worker.signalCode !== null || worker.pid === undefined) return;
    worker.kill('SIGKILL');
    await once(worker, 'exit');
  });
  await once(worker, 'spawn');
  let user = await system.caller();
  const owned = started.move();
  return {
    system,
    proxy,
    worker,
    get user() {
      return user;
    },
    moveTo(gateway) {
      const { url } = system.gateways[gateway] ?? system.gateway;
      proxy.retarget(url);
      user = user.at(url);
    },
    async start(act, tool = 'conformance') {
      const jobId = (await user.post(`/tools/${tool}`, { act }, { prefer: 'respond-async' })).as(acceptedShape).job_id;
      const frame = await until('the attempt', () => proxy.heard('attempt').find(({ data }) => data['effect_key'] === jobId));
      return { jobId, attempt: z.string().parse(frame.data['attempt']) };
    },
    ended: async ({ jobId }) => (await user.get(`/jobs/${jobId}?wait=60`)).as(jobShape),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

// An Alertmanager with the configuration of the deployment.
import { join } from 'node:path';
import { z } from 'zod';
import { root } from '#lib/command-line';
import { ManagedProcess } from '../managed-process.js';
import { pickPort } from '../provision/ports.js';
import { toolOf } from './check-files.js';

const alertsShape = z.array(
  z.looseObject({ labels: z.looseObject({ alertname: z.string() }), receivers: z.array(z.looseObject({ name: z.string() })) }),
);

export interface Alertmanager extends AsyncDisposable {
  readonly host: string;
  /** The alerts that it has, by name, with who is told. */
  readonly alerts: () => Promise<Readonly<Record<string, readonly string[]>>>;
}

/** @param folder for its data */
export async function startAlertmanager(folder: string): Promise<Alertmanager> {
  const port = await pickPort();
  const host = `127.0.0.1:${port}`;
  const server = new ManagedProcess({
    name: 'alertmanager',
    command: toolOf('prometheus-alertmanager', 'prometheus-alertmanager'),
    args: [
      `--config.file=${join(root, 'ops/alertmanager.yml')}`,
      `--storage.path=${join(folder, 'alertmanager')}`,
      `--web.listen-address=${host}`,
      '--cluster.listen-address=',
    ],
    cwd: folder,
    port,
    logFile: join(folder, 'alertmanager.log'),
    isNode: false,
    stopMs: 10_000,
    isReady: async () => (await fetch(`http://${host}/-/ready`).catch(() => null))?.ok ?? false,
  });
  await server.start();
  return {
    host,
    alerts: async () => {
      const response = await fetch(`http://${host}/api/v2/alerts`);
      const alerts = alertsShape.parse(await response.json());
      return Object.fromEntries(alerts.map(({ labels, receivers }) => [labels.alertname, receivers.map(({ name }) => name)]));
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

// A Prometheus with the configuration of the deployment, that finds its targets on this machine.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { root } from '#lib/command-line';
import { ManagedProcess } from '../managed-process.js';
import { pickPort } from '../provision/ports.js';
import { toolOf } from './check-files.js';

const configShape = z.looseObject({ scrape_configs: z.array(z.looseObject({ job_name: z.string() })) });
const resultShape = z.looseObject({ status: z.literal('success'), data: z.looseObject({ result: z.array(z.unknown()) }) });
const alertsShape = z.looseObject({
  data: z.looseObject({
    alerts: z.array(z.looseObject({ state: z.string(), labels: z.looseObject({ alertname: z.string() }) })),
  }),
});

export interface Prometheus extends AsyncDisposable {
  /** The series that an expression gives now. Throws with what Prometheus says of a wrong one. */
  readonly query: (expression: string) => Promise<readonly unknown[]>;
  /** Names of the alerts in this state. */
  readonly alerts: (state: 'pending' | 'firing') => Promise<readonly string[]>;
}

export interface PrometheusPlaces {
  /** By job, instead of what DNS gives in the deployment. */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
  /** Where alerts go. */
  readonly alertmanager: string;
  /** For its data. */
  readonly folder: string;
}

export async function startPrometheus({ hosts, alertmanager, folder }: PrometheusPlaces): Promise<Prometheus> {
  const config = configShape.parse(parse(readFileSync(join(root, 'ops/prometheus.yml'), 'utf8')));
  const scrapes = config.scrape_configs.map(({ dns_sd_configs: _found, ...job }) => ({
    ...job,
    static_configs: [{ targets: hosts[job.job_name] ?? [] }],
  }));
  const alerting = { alertmanagers: [{ static_configs: [{ targets: [alertmanager] }] }] };
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, stringify({ ...config, alerting, rule_files: [join(root, 'ops/alerts.yml')], scrape_configs: scrapes }));
  const port = await pickPort();
  const url = `http://127.0.0.1:${port}`;
  const server = new ManagedProcess({
    name: 'prometheus',
    command: toolOf('prometheus', 'prometheus'),
    args: [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`, `--web.listen-address=127.0.0.1:${port}`],
    cwd: folder,
    port,
    logFile: join(folder, 'prometheus.log'),
    isNode: false,
    stopMs: 10_000,
    isReady: async () => (await fetch(`${url}/-/ready`).catch(() => null))?.ok ?? false,
  });
  await server.start();
  const ask = async (path: string): Promise<unknown> => {
    const response = await fetch(`${url}/api/v1/${path}`);
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return JSON.parse(text);
  };
  return {
    query: async (expression) => resultShape.parse(await ask(`query?query=${encodeURIComponent(expression)}`)).data.result,
    alerts: async (state) =>
      alertsShape
        .parse(await ask('alerts'))
        .data.alerts.filter((alert) => alert.state === state)
        .map(({ labels }) => labels.alertname),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

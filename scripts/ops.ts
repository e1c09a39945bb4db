// `npm run ops`: what ops/ says of metrics, tried with a real Prometheus that scrapes the running product.
import { mkdtempDisposableSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { CommandError, print, printError, runWithoutArguments, step } from '#lib/command-line';
import { eventually, startSystem } from '#lib/testing';
import { appNames, gateway } from './apps.js';
import { startAlertmanager } from './ops/alertmanager.js';
import { checkFiles } from './ops/check-files.js';
import { expressions, metricsNamed } from './ops/expressions.js';
import { startPrometheus } from './ops/prometheus.js';
import { pickPort } from './provision/ports.js';
import { startStores } from './provision/private-stores.js';

/** The worker whose tool is called. */
const first = 'profile-worker';
/** A rate needs two scrapes, and a rule one evaluation more. */
const filledWithinMs = 60_000;
const firesWithinMs = 120_000;

const help = `What ops/ says of metrics, tried with a real Prometheus that scrapes the running product.

  npm run ops
`;

await runWithoutArguments(help, async () => {
  await step('Rules, their tests and the alert manager, by promtool and amtool', checkFiles);
  await using owner = new AsyncDisposableStack();
  const folder = owner.adopt(mkdtempDisposableSync(`${tmpdir()}/invoq-ops-`), (one) => one.remove());
  const stores = owner.use(await step('Private stores', startStores));
  const metricsPort = await pickPort();
  const others = appNames().filter((name) => name !== gateway && name !== first);
  const mainOf = (name: string): string => `dist/apps/${name}/src/main.js`;
  const system = owner.use(
    await step('The product', () =>
      startSystem({
        stores,
        mains: { gateway: mainOf(gateway), worker: mainOf(first) },
        more: others.map((name) => ({ main: mainOf(name) })),
        gatewayEnv: { METRICS_PORT: String(metricsPort) },
      }),
    ),
  );
  const workers = [...system.workers, ...system.more];
  const hosts = { gateway: [`127.0.0.1:${metricsPort}`], workers: workers.map(({ url }) => new URL(url).host) };
  const alertmanager = owner.use(await step('Alertmanager', () => startAlertmanager(folder.path)));
  const places = { hosts, alertmanager: alertmanager.host, folder: folder.path };
  const prometheus = owner.use(await step('Prometheus', () => startPrometheus(places)));
  const faults: string[] = [];

  await step('All targets are up', () =>
    eventually(async () => (await prometheus.query('up == 1')).length === workers.length + 1, {
      withinMs: filledWithinMs,
      what: 'targets up',
    }),
  );
  const metrics = new Set((await Promise.all(Object.values(hosts).flat().map(familiesOf))).flat());
  faults.push(
    ...metricsNamed()
      .filter((name) => !metrics.has(name))
      .map((name) => `${name} is in ops/, and no process has it`),
  );

  const caller = await system.caller();
  const calls = setInterval(() => void callAll().catch(() => undefined), 200);
  const callAll = async (): Promise<void> => {
    await caller.call('calc_metrics', {
      height_cm: 175,
      weight_kg: 40 + Math.random() * 60,
      age: 30,
      gender: 'male',
      activity_level: 'moderate',
    });
    await caller.call('calc_metrics', { height_cm: 1 });
  };
  try {
    await step('Every expression can be asked, and every panel is filled', async () => {
      for (const { where, expression, isPanel } of expressions()) {
        const isFilled = async (): Promise<boolean> => (await prometheus.query(expression)).length > 0;
        try {
          if (isPanel) await eventually(isFilled, { withinMs: filledWithinMs, what: 'a value' });
          else await isFilled();
        } catch (error) {
          faults.push(`${where}: ${expression}: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    });
  } finally {
    clearInterval(calls);
  }
  const early = await prometheus.alerts('firing');
  if (early.length > 0) faults.push(`alerts of a healthy system: ${early.join(', ')}`);
  await step('A killed worker raises its alert, and the alert manager tells the right one', async () => {
    await system.worker.kill();
    const told = async (): Promise<boolean> => (await alertmanager.alerts())['WorkerDown']?.includes('ticket') ?? false;
    await eventually(told, { withinMs: firesWithinMs, what: 'WorkerDown' });
  });

  for (const fault of faults) printError(`✗ ${fault}`);
  if (faults.length === 0) print(`✓ ${metrics.size} metrics, ${expressions().length} expressions of alerts and dashboards`);
  return faults.length === 0 ? 0 : 1;
});

/** Names of the metrics that a process has, with or without values. */
async function familiesOf(host: string): Promise<readonly string[]> {
  const response = await fetch(`http://${host}/metrics`);
  if (!response.ok) throw new CommandError(`${host}/metrics answers ${response.status}`);
  return [...(await response.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
}

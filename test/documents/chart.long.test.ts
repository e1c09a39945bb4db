// What the Helm chart promises of its processes.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { domains } from '#lib/contracts';
import { root } from '#lib/command-line';
import { settingFaults } from '#lib/platform';
import { settingsOf } from '../../scripts/app-settings.js';
import { appNames } from '../../scripts/apps.js';
import { faultsOf, helm, installChartTools, render, type Manifest } from './chart.js';

const variable = z.looseObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z
    .looseObject({ secretKeyRef: z.looseObject({ name: z.string(), key: z.string(), optional: z.boolean().optional() }) })
    .optional(),
});
const pod = z.looseObject({
  metadata: z.looseObject({ labels: z.record(z.string(), z.string()) }),
  spec: z.looseObject({
    terminationGracePeriodSeconds: z.int().optional(),
    securityContext: z.unknown(),
    containers: z.array(z.looseObject({ image: z.string(), env: z.array(variable), securityContext: z.unknown() })).length(1),
  }),
});
const workload = z.looseObject({ spec: z.looseObject({ template: pod }) });
const bucket = { settings: { FILES_S3_BUCKET: 'files' } };
const chartFile = (name: string): unknown => parse(readFileSync(join(root, 'deploy/helm/invoq', name), 'utf8'));
const { settings: allSettings } = z.looseObject({ settings: z.record(z.string(), z.unknown()) }).parse(chartFile('values.yaml'));
/** What the chart sets itself, because other parts of it depend on it. */
const ofTheChart = ['APP', 'NODE_ENV', 'HOST', 'FILES_DIR', 'PORT', 'METRICS_PORT', 'HEALTH_PORT', 'INVOQ_URL'];
const ofTelemetry = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLER_ARG', 'OTEL_METRICS_EXPORTER', 'OTEL_METRIC_EXPORT_INTERVAL'];
const ofTheBucket = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
const isSecret = (name: string): boolean =>
  /(_KEY|_KEYS|SECRET|PASSWORD)$|^(DATABASE|APP_DATABASE|REDIS|PLATFORM_DATABASE)_URL$|^AWS_/.test(name);
const apps = appNames();
const workers = apps.filter((name) => name !== 'gateway');

let manifests: readonly Manifest[];
/** The same with every setting given. */
let full: readonly Manifest[];

const named = (kind: string, name: string, from = manifests): Manifest => {
  const found = from.find((one) => one.kind === kind && one.metadata.name === `shop-${name}`);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return found;
};
const podOf = (app: string, from = manifests) => workload.parse(named(app === 'migrate' ? 'Job' : 'Deployment', app, from)).spec.template;
const envOf = (app: string, from = manifests) => podOf(app, from).spec.containers.flatMap(({ env }) => env);

beforeAll(() => {
  installChartTools();
  manifests = render(bucket);
  full = render({
    settings: Object.fromEntries(Object.keys(allSettings).map((name) => [name, name === 'DOMAINS' ? '' : '7'])),
    prometheus: { enabled: true, labels: { release: 'monitoring' } },
  });
}, 180_000);

test('Helm finds nothing wrong with the chart, and Kubernetes, KEDA and the Prometheus Operator nothing with what it renders', () => {
  expect(helm('lint', bucket)).toContain('1 chart(s) linted, 0 chart(s) failed');
  expect(faultsOf([...manifests, ...full, ...render({ files: { claim: 'files' }, keda: { enabled: false } })])).toEqual([]);
});

test('the schemas refuse a field that they do not know, and a value of another type', () => {
  const budget = named('PodDisruptionBudget', 'gateway');
  expect(faultsOf([{ ...budget, spec: { maxUnavailible: 1 } }]).join('\n')).toMatch(/maxUnavailible/);
  expect(faultsOf([{ ...budget, spec: { maxUnavailable: true } }]).join('\n')).toMatch(/maxUnavailable/);
});

test('the version of the chart is that of the product', () => {
  const { version } = z.looseObject({ version: z.string() }).parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
  expect(chartFile('Chart.yaml')).toMatchObject({ version, appVersion: version });
});

describe.each(apps)('%s', (app) => {
  test('gets every setting that it reads, and no other', () => {
    const read = Object.keys(settingsOf(app));
    const more = [...ofTelemetry, ...(read.includes('FILES_S3_BUCKET') ? ofTheBucket : [])];
    const expected = ['APP', ...read.filter((name) => name !== 'DOMAINS'), ...more];
    expect(
      envOf(app, full)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(expected.toSorted());
    expect(read.filter((name) => !ofTheChart.includes(name) && !isSecret(name) && !(name in allSettings))).toEqual([]);
  });

  test('starts with the values as they are and the secrets that it must have', () => {
    const env = envOf(app);
    const needed = env.filter(({ valueFrom }) => valueFrom && !valueFrom.secretKeyRef.optional).map(({ name }) => name);
    const samples: Readonly<Record<string, string>> = {
      REDIS_URL: 'rediss://gateway:password@redis:6379',
      DATABASE_URL: 'postgresql://invoq:password@postgres/invoq',
      SEALING_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    };
    expect(needed.toSorted()).toEqual(Object.keys(samples).toSorted());
    const given = Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])));
    expect(settingFaults(settingsOf(app), { ...given, ...samples })).toEqual([]);
  });

  test('has the one image, restarts in order within its grace, and may lose one pod at a time', () => {
    const plain = Object.fromEntries(envOf(app).map(({ name, value }) => [name, Number(value)]));
    const { DRAIN_MS: drainMs = Number.NaN, NOTICE_MS: noticeMs = 0 } = plain;
    // 5 s is what an app needs to close after the drain (closingMs).
    expect(podOf(app).spec.terminationGracePeriodSeconds).toBeGreaterThan((drainMs + noticeMs) / 1_000 + 5);
    expect(named('Deployment', app)).toMatchObject({ spec: { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } } } });
    expect(named('PodDisruptionBudget', app)).toMatchObject({ spec: { maxUnavailable: 1 } });
  });
});

test('a longer drain or notice makes the grace longer', () => {
  const longer = render({ settings: { ...bucket.settings, DRAIN_MS: 60_000 }, gateway: { settings: { NOTICE_MS: 15_500 } } });
  expect(podOf('gateway', longer).spec.terminationGracePeriodSeconds).toBe(60 + 16 + 10);
});

test('a setting that is null is as one that is empty: so Helm takes one of the chart away, and so an upgrade with older values lacks a new one', () => {
  const without = (none: null | '') => render({ settings: { ...bucket.settings, LOG_LEVEL: none, DOMAINS: none, PARTITIONS: none } });
  expect(without(null)).toEqual(without(''));
});

describe.each([...apps, 'migrate'])('the pods of %s', (app) => {
  test('keep to the restricted profile of Kubernetes, and have no token of the cluster', () => {
    const { spec } = podOf(app);
    expect(spec).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    for (const field of ['hostNetwork', 'hostPID', 'hostIPC', 'initContainers']) expect(spec).not.toHaveProperty(field);
    expect(spec.containers[0]?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('read secrets from their own Secret alone, and have none as plain values', () => {
    for (const from of [manifests, full]) {
      for (const { name, value, valueFrom } of envOf(app, from)) {
        expect([name, value !== undefined]).toEqual([name, !isSecret(name)]);
        if (valueFrom) expect(valueFrom.secretKeyRef).toMatchObject({ name: `shop-${app}`, key: name });
      }
    }
  });

  test('reach what they need, and metrics are for those that read metrics', () => {
    const { spec } = z.looseObject({ spec: z.unknown() }).parse(named('NetworkPolicy', app));
    expect(spec).toMatchObject({
      podSelector: { matchLabels: { 'app.kubernetes.io/instance': 'shop', 'app.kubernetes.io/component': app } },
      policyTypes: ['Ingress', 'Egress'],
    });
    expect(podOf(app).metadata.labels).toMatchObject({ 'app.kubernetes.io/component': app });
    const text = JSON.stringify(spec);
    expect(text.includes('0.0.0.0/0')).toBe(!['profile-worker', 'migrate'].includes(app));
    expect(text.includes('keda')).toBe(app !== 'migrate');
  });
});

test('an empty list of networkPolicy allows nothing, but for callers, who may be anybody', () => {
  const lists = { stores: [], bucket: [], outward: [], metricsFrom: [] };
  const none = render({ ...bucket, networkPolicy: lists });
  expect(faultsOf(none)).toEqual([]);
  const dns = {
    ports: [
      { port: 53, protocol: 'UDP' },
      { port: 53, protocol: 'TCP' },
    ],
  };
  for (const app of ['gateway', 'profile-worker', 'migrate'])
    expect(named('NetworkPolicy', app, none)).toMatchObject({ spec: { egress: [dns] } });
  // A rule without sources would let everybody read metrics, which need no key.
  expect(named('NetworkPolicy', 'profile-worker', none)).toMatchObject({ spec: { ingress: [] } });
  expect(named('NetworkPolicy', 'gateway', none)).toMatchObject({ spec: { ingress: [{ ports: [{ port: 'http' }] }] } });
  // As null it is the same: so Helm takes a value of the chart away.
  expect(render({ ...bucket, networkPolicy: { stores: null, bucket: null, outward: null, metricsFrom: null } })).toEqual(none);
});

test.each(workers)('%s is scaled by what is open in its domain, as gateways tell it', (worker) => {
  const domain = Object.values(domains).find(({ name }) => `${name}-worker` === worker);
  expect(named('ScaledObject', worker)).toMatchObject({
    spec: {
      scaleTargetRef: { name: `shop-${worker}` },
      triggers: [
        {
          metadata: {
            url: 'http://shop-gateway-metrics.tools.svc:9464/metrics',
            valueLocation: `invoq_open_invocations{domain="${domain?.name}"}`,
            targetValue: String(domain?.concurrency),
          },
        },
      ],
    },
  });
  expect(named('Deployment', worker)).not.toHaveProperty('spec.replicas');
});

describe('with the Prometheus Operator', () => {
  const monitor = z.looseObject({
    metadata: z.looseObject({ name: z.string(), labels: z.looseObject({ release: z.literal('monitoring') }) }),
    spec: z.looseObject({
      selector: z.looseObject({
        matchLabels: z.record(z.string(), z.string()),
        matchExpressions: z.tuple([z.looseObject({ operator: z.literal('In'), values: z.array(z.string()) })]),
      }),
      podMetricsEndpoints: z.tuple([z.looseObject({ port: z.string(), relabelings: z.array(z.looseObject({})) })]),
    }),
  });

  test('every app is scraped once, in the job that the alerts ask, at the port that has its metrics', () => {
    const found = full
      .filter(({ kind }) => kind === 'PodMonitor')
      .map((one) => monitor.parse(one).spec)
      .flatMap(({ selector, podMetricsEndpoints: [{ port, relabelings }] }) =>
        selector.matchExpressions[0].values.map((app) => {
          expect(podOf(app, full).metadata.labels).toMatchObject(selector.matchLabels);
          return { app, port, job: relabelings.find(({ targetLabel }) => targetLabel === 'job')?.['replacement'] };
        }),
      );
    expect(found.toSorted((one, other) => one.app.localeCompare(other.app))).toEqual(
      apps
        .map((app) => (app === 'gateway' ? { app, port: 'metrics', job: 'gateway' } : { app, port: 'http', job: 'workers' }))
        .toSorted((one, other) => one.app.localeCompare(other.app)),
    );
  });

  test('without workers none is looked for: a selector for one of no names is refused', () => {
    const alone = render({ settings: { ...bucket.settings, DOMAINS: 'none' }, prometheus: { enabled: true } });
    const monitors = alone.filter(({ kind }) => kind === 'PodMonitor').map(({ metadata }) => metadata.name);
    expect(monitors).toEqual(['shop-gateway']);
  });

  test('the alerts are those of ops/, and without it there are none', () => {
    const [rule, ...others] = full.filter(({ kind }) => kind === 'PrometheusRule');
    expect([rule, others]).toMatchObject([{ metadata: { labels: { release: 'monitoring' } } }, []]);
    expect(rule?.['spec']).toEqual(parse(readFileSync(join(root, 'ops/alerts.yml'), 'utf8')));
    // After a change: cp ops/alerts.yml deploy/helm/invoq/
    expect(readFileSync(join(root, 'deploy/helm/invoq/alerts.yml'), 'utf8')).toBe(readFileSync(join(root, 'ops/alerts.yml'), 'utf8'));
    expect(manifests.filter(({ apiVersion }) => apiVersion.startsWith('monitoring.'))).toEqual([]);
  });
});

test('the schema is migrated by the same image before anything else is there', () => {
  const digest = `sha256:${'a'.repeat(64)}`;
  const pinned = render({ ...bucket, image: { repository: 'registry.example.com/invoq', digest } });
  const images = [...apps, 'migrate'].flatMap((app) => podOf(app, pinned).spec.containers.map(({ image }) => image));
  expect(new Set(images)).toEqual(new Set([`registry.example.com/invoq@${digest}`]));
  expect(named('Job', 'migrate')).toMatchObject({ metadata: { annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } } });
});

test('no command of the documents upgrades with the values of the older chart alone, which lack what is new', () => {
  const commands = ['docs/how-to/upgrade.md', 'docs/runbook.md'].flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('helm upgrade ')),
  );
  expect(commands.length).toBeGreaterThan(1);
  expect(commands.filter((command) => command.includes(' --reuse-values'))).toEqual([]);
});

test('DOMAINS says which workers there are', () => {
  const some = render({ settings: { ...bucket.settings, DOMAINS: 'profile, stripe' } });
  const deployed = some.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
  expect(deployed.toSorted()).toEqual(['shop-gateway', 'shop-profile-worker', 'shop-stripe-worker']);
});

test.each([
  [{}, 'gateways and workers share files: give settings.FILES_S3_BUCKET, or files.claim'],
  [{ settings: { ...bucket.settings, LOG_LEVLE: 'info' } }, 'settings.LOG_LEVLE: no app has such a setting'],
  [{ ...bucket, workers: { profile: { settings: { MODEL: 'm' } } } }, 'settings.MODEL: profile-worker has no such setting'],
  [{ ...bucket, workers: { profil: {} } }, 'workers.profil: there is no such domain'],
  [{ settings: { ...bucket.settings, DOMAINS: 'profil' } }, 'settings.DOMAINS: there is no domain profil'],
  [{ settings: { ...bucket.settings, DRAIN_MS: '' } }, 'settings.DRAIN_MS is needed'],
  [{ settings: { ...bucket.settings, NOTICE_MS: null } }, 'settings.NOTICE_MS is needed'],
  [{ ...bucket, gatway: {} }, 'gatway'],
  [{ ...bucket, image: { digest: 'latest' } }, 'image.digest'],
])('%j is refused: %s', (values, message) => {
  expect(() => render(values)).toThrow(message);
});

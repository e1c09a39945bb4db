// The runbook, the alerts and the deployment agree with each other and with the sources.
import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { scopes } from '#lib/contracts';
import { Metrics, PartitionKeys, RedisKeys } from '#lib/transport';
import { expressions, metricsNamed } from '../../scripts/ops/expressions.js';
import { anchorOf, readMarkdown } from './markdown.js';
import { allPaths, sourceWords } from './repository.js';

const composeShape = z.looseObject({
  services: z.record(z.string(), z.looseObject({ environment: z.record(z.string(), z.unknown()).default({}) })),
});
const scrapeShape = z.looseObject({
  scrape_configs: z.array(
    z.looseObject({
      job_name: z.string(),
      dns_sd_configs: z.array(z.looseObject({ names: z.array(z.string()), type: z.literal('A'), port: z.int() })),
    }),
  ),
});
const jobsShape = z.looseObject({
  alerting: z.looseObject({ alertmanagers: z.array(z.looseObject({})) }),
  scrape_configs: z.array(z.looseObject({ job_name: z.string() })),
});
/** What the types of prom-client leave out. */
const labelled = z.object({ name: z.string(), labelNames: z.array(z.string()) });
const paths = allPaths();
const words = sourceWords(paths);

test('alerts and dashboards use only metrics that the sources have', () => {
  expect(metricsNamed().length).toBeGreaterThan(10);
  expect(metricsNamed().filter((name) => !words.has(name))).toEqual([]);
});

test('alerts and dashboards ask metrics only for labels that they have', () => {
  const metrics = new Metrics().registry.getMetricsAsArray().map((one) => labelled.parse(one));
  const faults = expressions().flatMap(({ where, expression }) => {
    const named = metrics.filter(({ name }) => new RegExp(`\\b${name}(_bucket|_sum|_count)?\\b`).test(expression));
    const known = new Set(['job', 'instance', 'le', ...named.flatMap(({ labelNames }) => labelNames)]);
    const grouped = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(/, */));
    const matched = [...expression.matchAll(/(\w+)(?==~?"|!=")/g)].map(([, name = '']) => name);
    return named.length === 0 ? [] : [...grouped, ...matched].filter((label) => !known.has(label)).map((label) => `${where}: ${label}`);
  });
  expect(faults).toEqual([]);
});

test('dashboards and alerts use only what rules record', () => {
  const recorded = expressions().flatMap(({ where }) => /(?<= )invoq:\S+/.exec(where) ?? []);
  const used = expressions().flatMap(({ expression }) => expression.match(/\binvoq:[\w:]+/g) ?? []);
  // An operator enters it; without it nothing is exempt.
  expect([...new Set(used)].filter((name) => !recorded.includes(name))).toEqual(['invoq:tool_latency_exempt']);
});

describe('the runbook', () => {
  const runbook = readFileSync('docs/runbook.md', 'utf8');
  const { headings } = readMarkdown('docs/runbook.md');
  const alerts = [...readFileSync('ops/alerts.yml', 'utf8').matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

  test('has a section for each alert and for no other', () => {
    const first = headings.indexOf('Alerts') + 1;
    const sections = headings.slice(first, headings.indexOf('Limits')).flatMap((heading) => heading.split(', '));
    expect(sections.toSorted()).toEqual(alerts.toSorted());
  });

  test('is where each alert leads', () => {
    const anchors = [...readFileSync('ops/alerts.yml', 'utf8').matchAll(/runbook: docs\/runbook\.md#(.+)/g)].map(
      ([, anchor = '']) => anchor,
    );
    expect(anchors).toHaveLength(alerts.length);
    expect(anchors.filter((anchor) => !headings.map(anchorOf).includes(anchor))).toEqual([]);
  });

  test('has a row for each scope', () => {
    const table = /\| Scope \|[\s\S]*?\n\n/.exec(runbook)?.[0] ?? '';
    expect([...table.matchAll(/^\| `(.+?)` \|/gm)].map(([, scope = '']) => scope).toSorted()).toEqual(Object.keys(scopes).toSorted());
  });

  test('says of every table and every kind of key how long it is kept', () => {
    const table = /\n## What is kept, and how long\n[\s\S]*?\n## /.exec(runbook)?.[0] ?? '';
    const named = new Set([...table.matchAll(/`(.+?)`/g)].map(([, name]) => name));
    const models = globSync('prisma/schema/*.prisma').flatMap(
      (file) => readFileSync(file, 'utf8').match(/^model \w+ \{[\s\S]*?^\}/gm) ?? [],
    );
    const tables = models.map((model) => /@@map\("(\w+)"\)/.exec(model)?.[1] ?? model);
    const kinds = [PartitionKeys, RedisKeys]
      .flatMap(({ prototype }) => Object.getOwnPropertyNames(prototype))
      .filter((name) => name !== 'constructor');
    expect([tables.length > 25, kinds.length > 40]).toEqual([true, true]);
    expect([...tables, ...kinds].filter((name) => !named.has(name))).toEqual([]);
  });

  test('explains log events that the sources write', () => {
    const table = /\| `event` \|[\s\S]*?\n\n/.exec(runbook)?.[0] ?? '';
    const events = table.split('\n').flatMap((row) => (row.split('|')[1] ?? '').match(/(?<=`)[a-z-]+(?=`)/g) ?? []);
    expect(events.length).toBeGreaterThan(15);
    expect(events.filter((event) => event !== 'event' && !words.has(event))).toEqual([]);
  });
});

test('Prometheus tells an Alertmanager and has the same jobs in Kubernetes, and finds the ports that the chart names', () => {
  const [compose, kubernetes] = ['ops/prometheus.yml', 'ops/prometheus-kubernetes.yml'].map((file) =>
    jobsShape.parse(parse(readFileSync(file, 'utf8'))),
  );
  expect(kubernetes?.scrape_configs.map(({ job_name }) => job_name)).toEqual(compose?.scrape_configs.map(({ job_name }) => job_name));
  expect(kubernetes?.alerting).toEqual(compose?.alerting);
  expect(kubernetes?.alerting.alertmanagers).toHaveLength(1);
  const ports = [...readFileSync('ops/prometheus-kubernetes.yml', 'utf8').matchAll(/port_name], regex: (\w+)/g)].map(
    ([, port = '']) => port,
  );
  const chart = readFileSync('deploy/helm/invoq/templates/_pod.tpl', 'utf8');
  expect(ports).toEqual(['metrics', 'http']);
  expect(ports.filter((port) => !chart.includes(`- { name: ${port}, containerPort: `))).toEqual([]);
});

describe('a deployment', () => {
  const workers = paths.flatMap((path) => /^apps\/([\w-]+-worker)\/$/.exec(path)?.[1] ?? []);

  test('has a service for each worker', () => {
    const compose = readFileSync('docker-compose.yml', 'utf8');
    expect(workers.length).toBeGreaterThan(5);
    expect(workers.filter((worker) => !compose.includes(`\n  ${worker}:\n`) || !compose.includes(`APP: ${worker}\n`))).toEqual([]);
  });

  test('is scraped whole by Prometheus: every app once, in the job that the alerts ask, on the port where it listens', () => {
    const { services } = composeShape.parse(parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }));
    const { scrape_configs: jobs } = scrapeShape.parse(parse(readFileSync('ops/prometheus.yml', 'utf8')));
    const targets = jobs.flatMap(({ job_name: job, dns_sd_configs: found }) =>
      found.flatMap(({ names, port }) => names.map((name) => ({ name, job, port }))),
    );
    const portOf = (app: string, setting: string): number => Number(services[app]?.environment[setting]);
    expect(targets.toSorted((one, other) => one.name.localeCompare(other.name))).toEqual(
      [
        { name: 'gateway', job: 'gateway', port: portOf('gateway', 'METRICS_PORT') },
        ...workers.map((name) => ({ name, job: 'workers', port: portOf(name, 'HEALTH_PORT') })),
      ].toSorted((one, other) => one.name.localeCompare(other.name)),
    );
  });
});

// What docker-compose.yml promises about its containers.
import { existsSync, readFileSync } from 'node:fs';
import { join, matchesGlob } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '#lib/command-line';
import { settingsOf } from '../../scripts/app-settings.js';
import { appNames } from '../../scripts/apps.js';

const service = z.looseObject({
  build: z.string().optional(),
  image: z.string(),
  environment: z.record(z.string(), z.union([z.string(), z.int(), z.null()])).default({}),
  ports: z.array(z.string()).default([]),
  depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).optional(),
  mem_limit: z.string(),
  pids_limit: z.int(),
  logging: z.object({ driver: z.literal('local'), options: z.object({ 'max-size': z.literal('20m'), 'max-file': z.literal('5') }) }),
  privileged: z.never().optional(),
  cap_add: z.never().optional(),
  env_file: z.never().optional(),
});
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
const { services } = z.looseObject({ services: z.record(z.string(), service) }).parse(parse(text, { merge: true }));
const all = Object.entries(services);
const variables = (value: unknown): readonly string[] => [...String(value).matchAll(/\$\{([A-Z_]+)/g)].map(([, name = '']) => name);

/** All that a process reads from its environment, by its own settings. */
const settings = Object.fromEntries(appNames().map((name) => [name, Object.keys(settingsOf(name))]));
const ofTelemetry = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_TRACES_SAMPLER_ARG', 'OTEL_METRICS_EXPORTER', 'OTEL_METRIC_EXPORT_INTERVAL'];
const ofTheBucket = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];

test('every app has a container', () => {
  expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(settings)));
});

test.each(Object.keys(settings))('%s gets every setting that it reads, and no other', (name) => {
  const read = settings[name] ?? [];
  const more = read.includes('FILES_S3_BUCKET') ? ofTheBucket : [];
  expect(Object.keys(services[name]?.environment ?? {}).toSorted()).toEqual(['APP', ...read, ...ofTelemetry, ...more].toSorted());
  expect(services[name]?.environment).toMatchObject({ APP: name, NODE_ENV: 'production' });
});

test('each password of Redis is known to Redis, its replica and the one app whose user it is of', () => {
  const passwords = [...new Set(variables(text))].filter((name) => /^REDIS_.*_PASSWORD$/.test(name));
  // Besides the apps: the operators and the replica.
  expect(passwords).toHaveLength(Object.keys(settings).length + 2);
  for (const password of passwords) {
    const knowing = all.filter(
      ([, { environment }]) => password in environment || variables(Object.values(environment)).includes(password),
    );
    const name = password.replace(/^REDIS_|_PASSWORD$/g, '').toLowerCase();
    expect(knowing.map(([who]) => who)).toEqual([
      ...Object.keys(settings).filter((app) => app.replace('-worker', '') === name),
      'redis',
      'redis-replica',
    ]);
  }
  for (const app of Object.keys(settings)) {
    const password = `REDIS_${app.replace('-worker', '').toUpperCase()}_PASSWORD`;
    expect(services[app]?.environment['REDIS_URL']).toMatch(new RegExp(`^redis://${app}:\\$\\{${password}:\\?[^}]+}@redis:6379$`));
  }
});

test('every variable is explained in .env.example', () => {
  const example = readFileSync(join(root, '.env.example'), 'utf8');
  const named = all.flatMap(([, { environment }]) => Object.keys(environment).filter((name) => environment[name] === null));
  expect([...named, ...variables(text)].filter((name) => !example.includes(`\n#${name}=`))).toEqual([]);
});

test.each(all)('%s runs read-only, without capabilities and with limits', (_name, container) => {
  expect(container).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  expect([container['tmpfs']].flat()).toContain('/tmp');
  expect(container.mem_limit).toMatch(/^(\$\{[A-Z]+_MEMORY:-)?\d+[mg]}?$/);
  expect(container.pids_limit).toBeLessThanOrEqual(512);
});

test.each(all.flatMap(([name, { ports }]) => ports.map((port) => [name, port] as const)))(
  '%s is reached on %s from this machine alone',
  (_name, port) => {
    expect(port).toMatch(/^127\.0\.0\.1:/);
  },
);

test('every image of somebody else has a version', () => {
  const stages = [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image);
  const images = all.filter(([, { build }]) => build === undefined).map(([, { image }]) => image);
  expect(stages.length).toBeGreaterThan(0);
  expect([...stages, ...images].filter((image) => !/^[a-z./-]+(:[a-z]*\d[\w.-]*|@sha256:[0-9a-f]{64})$/.test(image))).toEqual([]);
});

test.each(Object.keys(settings))('%s alone brings what it connects to', (name) => {
  const { DATABASE_URL: database, REDIS_URL: redis } = services[name]?.environment ?? {};
  const hosts = [database, redis].map((url) => /@([a-z]+):\d+/.exec(String(url))?.[1] ?? '');
  expect(services[name]?.depends_on).toEqual(expect.objectContaining(Object.fromEntries(hosts.map((host) => [host, expect.anything()]))));
});

test('Postgres is healthy once it answers on the network: while it makes its first database it listens on its socket alone', () => {
  expect(services['postgres']).toMatchObject({ healthcheck: { test: ['CMD-SHELL', expect.stringContaining('pg_isready -h 127.0.0.1 ')] } });
});

test('what the image is made of is in the repository, and reaches the build', () => {
  const copied = [...readFileSync(join(root, 'Dockerfile'), 'utf8').matchAll(/^COPY --from=build \/app\/(\S+)/gm)].map(
    ([, path = '']) => path,
  );
  const made = ['node_modules', 'dist'];
  const rules = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n').filter(Boolean);
  const isIgnored = (path: string): boolean =>
    rules.reduce((ignored, rule) => {
      const pattern = rule.replace(/^!/, '');
      return matchesGlob(path, pattern) || matchesGlob(path, `${pattern}/**`) ? !rule.startsWith('!') : ignored;
    }, false);
  expect(copied).toEqual(expect.arrayContaining(['package.json', ...made]));
  expect(copied.filter((path) => !made.includes(path) && (!existsSync(join(root, path)) || isIgnored(path)))).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { root } from '#lib/command-line';
import { domains } from '#lib/contracts';
import { deployedWorkers, staleWorkerRows, withWorkerRows, type DeployedWorker } from './worker-rows.js';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const clock: DeployedWorker = {
  domain: { ...domains.profile, name: 'wall-clock', redisRights: ['&invoq:ticks'], unpooledDatabase: true },
  settings: ['TIME_ZONE', 'TIME_KEY', 'INVOQ_URL'],
};
const withClock = withWorkerRows([...deployedWorkers(), clock], read);
const parsed = (file: string): unknown => parse(withClock.get(file) ?? '', { merge: true });

test('the rows are those of the domains (after a change, `npm run format` writes them)', () => {
  expect([...staleWorkerRows(root).keys()]).toEqual([]);
});

test('a domain more has a project, a container, a user of Redis, a target, facts for the chart and a password', () => {
  expect(parsed('nest-cli.json')).toHaveProperty('projects.wall-clock-worker.root', 'apps/wall-clock-worker');
  expect(parsed('docker-compose.yml')).toMatchObject({
    services: {
      'wall-clock-worker': {
        read_only: true,
        environment: {
          APP: 'wall-clock-worker',
          REDIS_URL: expect.stringMatching(/^redis:\/\/wall-clock-worker:\$\{REDIS_WALL_CLOCK_PASSWORD:\?[^}]+}@redis:6379$/),
          DATABASE_URL: expect.stringContaining('@postgres:5432/'),
          INVOQ_URL: 'http://balancer:8080',
          TIME_ZONE: null,
          TIME_KEY: null,
        },
      },
      redis: { environment: { REDIS_WALL_CLOCK_PASSWORD: null } },
    },
  });
  expect(withClock.get('ops/redis-users.sh')).toContain('\nworker wall-clock "${REDIS_WALL_CLOCK_PASSWORD:?}" "&$namespace:ticks"\n');
  expect(parsed('ops/prometheus.yml')).toHaveProperty(
    'scrape_configs.1.dns_sd_configs.0.names',
    expect.arrayContaining(['profile-worker', 'wall-clock-worker']),
  );
  expect(parsed('deploy/helm/invoq/apps.yaml')).toHaveProperty('workers.wall-clock', {
    concurrency: 64,
    outward: false,
    settings: ['WORKER_CONCURRENCY', 'TIME_ZONE'],
    secrets: ['TIME_KEY'],
  });
  expect(withClock.get('.env.example')).toMatch(/\n# {3}REDIS_WALL_CLOCK \\\n[\s\S]*\n#REDIS_WALL_CLOCK_PASSWORD=\n/);
});

test('nothing else of a file changes: without the domain it is as it was', () => {
  const again = withWorkerRows(deployedWorkers(), (file) => withClock.get(file) ?? '');
  for (const [file, text] of again) expect(text).toBe(read(file));
});

test('a file without the place of its rows is an error that names the place', () => {
  expect(() => withWorkerRows([clock], (file) => (file === 'nest-cli.json' ? '{}' : ''))).toThrow(
    'docker-compose.yml has no place for its workers: between "# Workers: `npm run format` writes them." and "# End of what is written."',
  );
});

// What docker-compose.yml promises about its containers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { root } from '#lib/command-line';
import { appNames } from '../../scripts/apps.js';

const service = z.looseObject({
  build: z.string().optional(),
  read_only: z.boolean().optional(),
  tmpfs: z.string().optional(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  mem_limit: z.string().optional(),
  pids_limit: z.int().optional(),
  privileged: z.boolean().optional(),
  cap_add: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.union([z.string(), z.int()])).optional(),
});
const { services } = z
  .looseObject({ services: z.record(z.string(), service) })
  .parse(parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }));
const all = Object.entries(services);

test('every app has a container', () => {
  expect(Object.keys(services)).toEqual(expect.arrayContaining([...appNames()]));
});

test.each(all.filter(([, { build }]) => build !== undefined))('%s runs read-only, without capabilities and with limits', (_name, app) => {
  expect(app).toMatchObject({ read_only: true, tmpfs: '/tmp', cap_drop: ['ALL'] });
  expect(app.mem_limit).toMatch(/^\$\{APP_MEMORY:-\d+g\}$/);
  expect(app.pids_limit).toBeLessThanOrEqual(512);
  expect(app.environment).toMatchObject({ NODE_ENV: 'production' });
});

test.each(all)('%s gains no further rights', (_name, { security_opt: options, privileged, cap_add: added }) => {
  expect(options).toContain('no-new-privileges:true');
  expect([privileged, added]).toEqual([undefined, undefined]);
});

test.each(all.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port] as const)))(
  '%s is reached on %s from this machine alone',
  (_name, port) => {
    expect(port).toMatch(/^127\.0\.0\.1:/);
  },
);

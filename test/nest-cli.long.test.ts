import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { appNames } from '../scripts/apps.js';
import { root } from '#lib/command-line';

const { projects }: { projects: Record<string, object> } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'] } });
  return { status, output: stdout + stderr };
}

describe('nest-cli.json', () => {
  test('names every app, so that a new domain can be built and started by the Nest CLI', () => {
    expect(Object.keys(projects)).toEqual(appNames());
  });

  test.each(appNames())('%s is where its project says', (name) => {
    expect(projects[name]).toEqual({ type: 'application', root: `apps/${name}`, sourceRoot: `apps/${name}/src`, entryFile: 'main' });
  });

  test('nest build gateway makes a gateway that loads, and leaves the bundle of npm run build alone', () => {
    const bundle = join(root, 'dist/apps/gateway/src/main.js');
    const before = readFileSync(bundle, 'utf8');
    const built = join(root, 'dist-nest/apps/gateway/src/main.js');
    rmSync(built, { force: true });
    expect(run('node_modules/@nestjs/cli/bin/nest.js', 'build', 'gateway')).toMatchObject({ status: 0 });
    expect(readFileSync(bundle, 'utf8')).toBe(before);
    expect(existsSync(built)).toBe(true);
    // Without settings it ends once all its modules are loaded, and names the settings.
    expect(run(built)).toEqual({ status: 1, output: expect.stringContaining('REDIS_URL is missing') });
  });
});

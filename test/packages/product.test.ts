// The package invoq in a folder of its own: the product is started from it, on stores of its own, used and stopped.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { eventually, givenStores, startTimeoutMs } from '#lib/testing';
import { pickPort } from '../../scripts/provision/ports.js';
import { newProject, type NewProject } from './new-project.js';

const bin = 'node_modules/invoq/bin/invoq.mjs';
const body = ['--height_cm', '175', '--weight_kg', '70', '--age', '30', '--gender', 'male', '--activity_level', 'moderate'];

describe('the package invoq', () => {
  let project: NewProject;

  beforeAll(async () => {
    project = await newProject('invoq', {});
  }, startTimeoutMs * 2);
  afterAll(() => project?.[Symbol.dispose]());

  const manifestOf = (name: string) => JSON.parse(readFileSync(join(project.folder, 'node_modules', name, 'package.json'), 'utf8'));

  test('installs without scripts of its own or of what it names', () => {
    const names = ['invoq', ...Object.keys(manifestOf('invoq').dependencies)];
    expect(names).toContain('pg');
    const withScripts = names.filter((name) => {
      const { scripts = {} } = manifestOf(name);
      return ['preinstall', 'install', 'postinstall'].some((script) => script in scripts);
    });
    expect(withScripts).toEqual([]);
  });

  test('says how to start what is not there', async () => {
    expect((await project.node(bin, '--help')).stdout).toMatch(/^Usage: invoq <command>[^]*^ {2}dev /m);
    expect(await project.node(bin, 'tools')).toMatchObject({ code: 2, stderr: expect.stringContaining('or run npx invoq dev first') });
    expect(existsSync(join(project.folder, '.data'))).toBe(false);
  });

  test(
    'tells everything that is wrong with a deployment at once',
    async () => {
      const { code, stderr } = await project.node(bin, 'deploy-check');
      expect([code, stderr]).toEqual([1, expect.stringMatching(/✗ REDIS_URL is missing \(gateway, [^]*✗ DATABASE_URL is missing/)]);
      const { redisUrl, databaseUrl } = givenStores();
      const settings = { REDIS_URL: redisUrl, DATABASE_URL: databaseUrl, SEALING_KEYS: `k1:${randomBytes(32).toString('base64')}` };
      const lines = Object.entries({ ...settings, DOMAINS: 'profile,memotree', PUBLIC_URL: 'https://invoq.example.com' });
      const env = (more: string) => project.write('.env', `${lines.map(([name, value]) => `${name}=${value}`).join('\n')}\n${more}`);
      env('');
      const right = await project.node(bin, 'deploy-check');
      env('REDIS_URL=redis://127.0.0.1:1\nWORKER_CONCURRENCY=many\n');
      const wrong = await project.node(bin, 'deploy-check');
      project.write('.env', '');
      expect(right).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('gateway, memotree-worker, profile-worker') });
      expect(wrong).toMatchObject({ code: 1, stderr: expect.stringMatching(/✗ WORKER_CONCURRENCY [^]*✗ REDIS_URL: .* cannot be used/) });
    },
    startTimeoutMs * 2,
  );

  test(
    'starts the product, answers calls, and stops',
    async () => {
      const env = { PATH: process.env['PATH'], HOME: project.folder, NO_COLOR: '1' };
      const args = [bin, 'dev', '--domains', 'profile', '--port', String(await pickPort(3_300))];
      const dev = spawn(process.execPath, args, { cwd: project.folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
      const said = text(dev.stdout);
      const ended = once(dev, 'exit');
      try {
        const variables = join(project.folder, '.data/dev.env');
        await eventually(async () => dev.exitCode !== null || existsSync(variables), { withinMs: startTimeoutMs, what: 'the product' });
        const called = await project.node(bin, 'call', 'calc_metrics', ...body);
        expect([called.stderr, JSON.parse(called.stdout).bmi]).toEqual(['', 22.86]);
        const { INVOQ_URL = '' } = parseEnv(readFileSync(variables, 'utf8'));
        expect((await fetch(`${INVOQ_URL}/console`)).status).toBe(200);
        const again = await project.node(bin, 'dev', '--port', '1');
        expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/another start \(pid \d+\).*npx invoq stop/) });
        expect(await project.node(bin, 'stop')).toMatchObject({ code: 0 });
        expect(await ended).toEqual([0, null]);
        expect(await said).toMatch(/Variables +\.data\/dev\.env[^]*npx invoq stop stops everything[^]*Stopped\.\n$/);
        await expect(fetch(INVOQ_URL)).rejects.toThrow('fetch failed');
      } finally {
        dev.kill('SIGTERM');
        await ended;
      }
    },
    startTimeoutMs * 2,
  );
});

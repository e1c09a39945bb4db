// What runs before any package is installed, as processes of their own: plain JavaScript on the machine's Node.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { eventually } from '#lib/testing';

const recordOf = z.object({ packages: z.record(z.string(), z.object({ resolved: z.string().optional() })).optional() });
const moduleAt = (name: string): string => pathToFileURL(join(import.meta.dirname, name)).href;

/** Runs JavaScript that imports a module of this folder. */
function run(code: string, env: Readonly<Record<string, string>> = {}) {
  return promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env: { ...process.env, ...env } });
}

describe('the lock', () => {
  const locked = (file: string, work: string): string =>
    `import { withLock } from ${JSON.stringify(moduleAt('lock.mjs'))}; withLock(${JSON.stringify(file)}, () => { ${work} });`;

  test('lets one process work at a time', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-lock-'));
    const [file, log] = [join(folder.path, 'sub', 'x.lock'), join(folder.path, 'log')];
    const work = `const { appendFileSync } = fs; appendFileSync(${JSON.stringify(log)}, 'in '); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60); appendFileSync(${JSON.stringify(log)}, 'out ');`;
    const code = `const fs = await import('node:fs'); ${locked(file, work)}`;
    await Promise.all([run(code), run(code), run(code)]);
    expect(readFileSync(log, 'utf8')).toBe('in out in out in out ');
    expect(existsSync(file)).toBe(false);
  });

  test('of a process that has died is taken over', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-lock-'));
    const file = join(folder.path, 'x.lock');
    writeFileSync(file, '99999999');
    expect((await run(locked(file, 'console.log("done")'))).stdout).toBe('done\n');
  });

  test('is held until work that waits has ended', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-lock-'));
    const file = join(folder.path, 'x.lock');
    const code = `import { withLock } from ${JSON.stringify(moduleAt('lock.mjs'))}; import { existsSync } from 'node:fs';
      const isHeld = () => existsSync(${JSON.stringify(file)});
      await withLock(${JSON.stringify(file)}, () => new Promise((done) => setTimeout(() => done(console.log(isHeld())), 20)));
      console.log(isHeld());`;
    expect((await run(code)).stdout).toBe('true\nfalse\n');
  });

  test('is given back when the work throws', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-lock-'));
    const file = join(folder.path, 'x.lock');
    await expect(run(locked(file, 'throw new Error("broken")'))).rejects.toThrow(/broken/);
    expect(existsSync(file)).toBe(false);
  });
});

describe('the installation of packages', () => {
  const dependencies = { zod: '4.0.0' };
  const lockOf = (packages: object, root: object = { dependencies }): string => JSON.stringify({ packages: { '': root, ...packages } });
  const zod = { 'node_modules/zod': { version: '4.0.0' } };

  /** A project, and an npm that writes down how it was called, and installs nothing. */
  async function installIn(
    files: {
      readonly lock?: string;
      readonly installed?: string;
      readonly trimmed?: string;
      readonly options?: object;
      readonly how?: string;
    },
    failing: readonly string[] = [],
  ) {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-install-'));
    const at = (name: string): string => join(folder.path, name);
    mkdirSync(at('node_modules'));
    writeFileSync(at('package.json'), JSON.stringify({ dependencies }));
    if (files.lock !== undefined) writeFileSync(at('package-lock.json'), files.lock);
    if (files.installed !== undefined) writeFileSync(at('node_modules/.package-lock.json'), files.installed);
    if (files.trimmed !== undefined) writeFileSync(at('node_modules/.trimmed'), files.trimmed);
    writeFileSync(
      at('npm.js'),
      `const fs = require('node:fs');
       fs.appendFileSync(${JSON.stringify(at('calls'))}, process.argv[2] + ' ');
       fs.writeFileSync(${JSON.stringify(at('args'))}, process.argv.slice(2).join(' '));
       fs.mkdirSync('node_modules', { recursive: true });
       fs.writeFileSync('node_modules/.package-lock.json', fs.existsSync('package-lock.json') ? fs.readFileSync('package-lock.json') : '{}');
       process.exit(${JSON.stringify(failing)}.includes(process.argv[2]) ? 1 : 0);`,
    );
    const how = files.how ?? 'installPackages';
    const code = `import { ${how} } from ${JSON.stringify(moduleAt('install.mjs'))};
      try { await ${how}(${JSON.stringify(folder.path)}, ${JSON.stringify(files.options ?? {})}); } catch (error) { console.log(error.expected, error.message); }`;
    const { stdout } = await run(code, { npm_execpath: at('npm.js') });
    const { packages = {} } = recordOf.parse(JSON.parse(readFileSync(at('node_modules/.package-lock.json'), 'utf8')));
    return {
      args: existsSync(at('args')) ? readFileSync(at('args'), 'utf8').split(' ') : [],
      resolved: Object.fromEntries(Object.entries(packages).flatMap(([place, { resolved }]) => (resolved ? [[place, resolved]] : []))),
      calls: existsSync(at('calls')) ? readFileSync(at('calls'), 'utf8').trim().split(' ') : [],
      stdout,
      got: Object.keys(packages),
      left: readdirSync(folder.path).filter((name) => name.startsWith('node_modules')),
    };
  }

  test('is skipped while npm has installed what the lock says; packages of other platforms may be missing', async () => {
    const lock = lockOf({ ...zod, 'node_modules/only-on-mac': { version: '1.0.0', optional: true } });
    expect(await installIn({ lock, installed: lockOf(zod) })).toMatchObject({ calls: [], stdout: '' });
  });

  test.each([
    ['nothing is installed', undefined],
    ['another version is installed', lockOf({ 'node_modules/zod': { version: '3.0.0' } })],
    ['a package is missing', lockOf({})],
  ])('installs from the lock when %s', async (_what, installed) => {
    expect((await installIn({ lock: lockOf(zod), ...(installed && { installed }) })).calls).toEqual(['ci']);
  });

  test('tries npm install when npm ci fails, and when the lock does not fit package.json', async () => {
    expect((await installIn({ lock: lockOf(zod) }, ['ci'])).calls).toEqual(['ci', 'install']);
    expect((await installIn({ lock: lockOf(zod, { dependencies: { zod: '3.0.0' } }) })).calls).toEqual(['install']);
    expect((await installIn({})).calls).toEqual(['install']);
  });

  test('tells npm at which paths of its registry the packages are, and no host', async () => {
    const lock = lockOf({
      'node_modules/zod': { version: '4.0.0', integrity: 'sha512-a' },
      'node_modules/@of/one/node_modules/@of/two': { version: '1.0.0', integrity: 'sha512-b' },
      'node_modules/alias': { name: '@of/real', version: '2.0.0-rc.1', integrity: 'sha512-c' },
      'node_modules/elsewhere': { version: '1.0.0', integrity: 'sha512-d', resolved: 'https://example.com/e.tgz' },
      'node_modules/linked': { version: '1.0.0', link: true },
    });
    const { resolved, args } = await installIn({ lock });
    expect(args).toContain('--replace-registry-host=always');
    expect(resolved).toEqual({
      'node_modules/zod': 'https://registry.invalid/zod/-/zod-4.0.0.tgz',
      'node_modules/@of/one/node_modules/@of/two': 'https://registry.invalid/@of/two/-/two-1.0.0.tgz',
      'node_modules/alias': 'https://registry.invalid/@of/real/-/real-2.0.0-rc.1.tgz',
      'node_modules/elsewhere': 'https://example.com/e.tgz',
    });
  });

  test('misses packages of development only where they are needed', async () => {
    const lock = lockOf({ ...zod, 'node_modules/large': { version: '1.0.0', dev: true } });
    expect((await installIn({ lock, installed: lockOf(zod), options: { dev: false } })).calls).toEqual([]);
    expect((await installIn({ lock, installed: lockOf({}), options: { dev: false } })).calls).toEqual(['ci']);
    expect((await installIn({ lock, installed: lockOf(zod) })).calls).toEqual(['ci']);
  });

  test.each(['installPackages', 'startInstalling'])('takes the place of what was there (%s)', async (how) => {
    const { calls, got, left } = await installIn({ lock: lockOf(zod), installed: lockOf({}), how });
    expect({ calls, got, left }).toEqual({ calls: ['ci'], got: ['', 'node_modules/zod'], left: ['node_modules'] });
  });

  test('that was begun and fails changes nothing: the other one says why', async () => {
    const { stdout, got, calls } = await installIn({ lock: lockOf(zod), installed: lockOf({}), how: 'startInstalling' }, ['ci']);
    expect({ stdout, got, calls }).toEqual({ stdout: '', got: [''], calls: ['ci'] });
  });

  test('is not in the way of the npm of a command that was killed', async () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-install-'));
    const at = (name: string): string => join(folder.path, name);
    writeFileSync(at('package.json'), JSON.stringify({ dependencies }));
    writeFileSync(at('package-lock.json'), lockOf(zod));
    // It says where it is, and waits for its end.
    writeFileSync(
      at('npm.js'),
      `const fs = require('node:fs');
       fs.appendFileSync(${JSON.stringify(at('places'))}, process.cwd() + '\\n');
       while (!fs.existsSync(${JSON.stringify(at('end'))})) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
       fs.mkdirSync('node_modules', { recursive: true });
       fs.copyFileSync('package-lock.json', 'node_modules/.package-lock.json');`,
    );
    const code = `import { installPackages } from ${JSON.stringify(moduleAt('install.mjs'))}; installPackages(${JSON.stringify(folder.path)});`;
    const start = () =>
      execFile(process.execPath, ['--input-type=module', '-e', code], { env: { ...process.env, npm_execpath: at('npm.js') } });
    const places = () => (existsSync(at('places')) ? readFileSync(at('places'), 'utf8').trim().split('\n') : []);
    const killed = start();
    await eventually(() => places().length === 1);
    killed.kill('SIGKILL');
    const second = start();
    await eventually(() => places().length === 2);
    writeFileSync(at('end'), '');
    const [code2] = await once(second, 'exit');
    expect(code2).toBe(0);
    expect(new Set(places()).size).toBe(2);
    expect(existsSync(at('node_modules/.package-lock.json'))).toBe(true);
  });

  test('for the product takes neither development packages nor optional peers nor types', async () => {
    const lock = lockOf({
      'node_modules/zod': {
        version: '4.0.0',
        dependencies: { inner: '1.0.0', '@types/zod': '1.0.0' },
        peerDependencies: { peer: '1.0.0', compiler: '1.0.0' },
        peerDependenciesMeta: { compiler: { optional: true } },
      },
      'node_modules/zod/node_modules/inner': { version: '1.0.0' },
      'node_modules/inner': { version: '2.0.0', dev: true },
      'node_modules/peer': { version: '1.0.0' },
      'node_modules/compiler': { version: '1.0.0', devOptional: true },
      'node_modules/@types/zod': { version: '1.0.0' },
    });
    const { got } = await installIn({ lock, options: { product: true } });
    expect(got).toEqual(['', 'node_modules/peer', 'node_modules/zod', 'node_modules/zod/node_modules/inner']);
  });

  test('brings back what was removed for the product alone, when more than that is needed', async () => {
    const files = { lock: lockOf(zod), installed: lockOf(zod), trimmed: JSON.stringify({ product: true }) };
    expect((await installIn({ ...files, options: { product: true } })).calls).toEqual([]);
    expect((await installIn(files)).calls).toEqual(['ci']);
  });

  test('says in one line that it failed', async () => {
    const { stdout } = await installIn({ lock: lockOf(zod) }, ['ci', 'install']);
    expect(stdout).toMatch(/^true the packages could not be installed; .*\n$/);
  });
});

test('Node 24 is the running one, where it is new enough', async () => {
  const code = `import { findNode24 } from ${JSON.stringify(moduleAt('node24.mjs'))}; console.log(findNode24('/nowhere'));`;
  expect((await run(code)).stdout.trim()).toBe(process.execPath);
});

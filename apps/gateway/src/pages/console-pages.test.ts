import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { installConsole } from './console-pages.js';

async function serve(folder: string) {
  const app = fastify();
  // Every answer of the gateway says so, unless its route knows better.
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  await installConsole(app, folder);
  return app;
}

function built(folder: string): void {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(
    join(folder, 'index.html'),
    '<meta property="csp-nonce" nonce="__CSP_NONCE__"><script src="/console/assets/a-1.js"></script>',
  );
  writeFileSync(join(folder, 'assets', 'a-1.js'), 'start()');
  writeFileSync(join(folder, '.stamp'), 'secret');
}

test.each(['/console', '/console/', '/console/calls/inv_x', '/console/runs/inv_x', '/console/tools/a.b?state=failed', '/console/.stamp'])(
  'the page is served with a nonce of its own and a strict policy, and is not kept: %s',
  async (url) => {
    using folder = mkdtempDisposableSync(`${tmpdir()}/invoq-console-`);
    built(folder.path);
    await using app = await serve(folder.path);
    const [one, two] = [await app.inject(url), await app.inject(url)];
    const policy = String(one.headers['content-security-policy']);
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? '';
    expect([one.statusCode, one.headers['cache-control'], one.headers['content-type']]).toEqual([
      200,
      'no-store',
      'text/html; charset=utf-8',
    ]);
    expect(nonce).toMatch(/^[\w+/]{22}==$/);
    expect(one.body).toContain(`nonce="${nonce}"`);
    expect(two.body).not.toContain(nonce);
    expect(policy).toBe(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
  },
);

test('hashed files are kept for a year, and nothing outside of their folder is served', async () => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/invoq-console-`);
  built(folder.path);
  await using app = await serve(folder.path);
  const file = await app.inject('/console/assets/a-1.js');
  expect([file.statusCode, file.headers['cache-control'], file.body]).toEqual([200, 'public, max-age=31536000, immutable', 'start()']);
  expect(file.headers['content-type']).toContain('javascript');
  for (const url of ['/console/assets/none.js', '/console/assets/', '/console/assets/..%2f.stamp', '/console/session/']) {
    const answer = await app.inject(url);
    expect([url, answer.statusCode >= 400, answer.body.includes('secret')]).toEqual([url, true, false]);
  }
});

test('without a build a page says how to make one', async () => {
  await using app = await serve('/nowhere');
  const answer = await app.inject('/console/calls');
  expect([answer.statusCode, answer.headers['content-security-policy']]).toEqual([200, expect.stringContaining("default-src 'none'")]);
  expect(answer.body).toContain('npm run build');
});

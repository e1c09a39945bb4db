import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fastify } from 'fastify';
import { installDocs } from './docs-pages.js';

async function serve(folder: string) {
  const app = fastify();
  // Every answer of the gateway says so, unless its route knows better.
  app.addHook('onRequest', async (_request, reply) => void reply.header('cache-control', 'no-store'));
  await installDocs(app, folder);
  return app;
}

function built(folder: string): void {
  const files = {
    'index.html': 'first',
    'tutorials/one/index.html': 'one',
    'tutorials/one.md': '# 一',
    '_astro/a.js': 'a()',
    'llms.txt': 'all',
    '.stamp': 'secret',
  };
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

test.each([
  ['/docs/', 'first', 'text/html', 'public, no-cache'],
  ['/docs/tutorials/one/', 'one', 'text/html', 'public, no-cache'],
  ['/docs/tutorials/one.md', '# 一', 'text/markdown; charset=utf-8', 'public, no-cache'],
  ['/docs/llms.txt', 'all', 'text/plain', 'public, no-cache'],
  ['/docs/_astro/a.js', 'a()', 'javascript', 'public, max-age=31536000, immutable'],
])('%s is served under a policy that allows files of ours alone', async (url, text, type, cache) => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/invoq-docs-`);
  built(folder.path);
  await using app = await serve(folder.path);
  const { statusCode, body, headers } = await app.inject(url);
  expect([statusCode, body, headers['cache-control']]).toEqual([200, text, cache]);
  expect(headers['content-type']).toContain(type);
  expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; ");
});

test.each([
  ['/docs', '/docs/'],
  ['/docs/tutorials/one', '/docs/tutorials/one/'],
  ['/llms.txt', '/docs/llms.txt'],
])('%s leads to %s', async (url, place) => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/invoq-docs-`);
  built(folder.path);
  await using app = await serve(folder.path);
  const { statusCode, headers } = await app.inject(url);
  expect([Math.floor(statusCode / 100), headers.location]).toEqual([3, place]);
});

test.each([
  '/docs/.stamp',
  '/docs/none',
  '/docs/..%2f.stamp',
  '/docs/%2e%2e/package.json',
  '/docs//etc/passwd',
  '/docs/_astro/',
  '/docs/%00',
])('nothing is at %s', async (url) => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/invoq-docs-`);
  built(folder.path);
  await using app = await serve(folder.path);
  const { statusCode, body } = await app.inject(url);
  expect([statusCode >= 400, body.includes('secret'), body.includes('root:')]).toEqual([true, false, false]);
});

test('Markdown without a site is served with a list of its pages', async () => {
  using folder = mkdtempDisposableSync(`${tmpdir()}/invoq-docs-`);
  const list = '# Invoq\n\n## Tutorials\n\n- [One & two](/docs/one.md): `<b>` first.\n';
  for (const [name, text] of Object.entries({ 'llms.txt': list, 'one.md': '# 一' })) writeFileSync(join(folder.path, name), text);
  await using app = await serve(folder.path);
  for (const url of ['/docs', '/docs/']) {
    const { statusCode, body, headers } = await app.inject(url);
    expect([statusCode, headers['content-security-policy']]).toEqual([200, expect.stringContaining("default-src 'none'")]);
    expect(body).toContain('<h2>Tutorials</h2><ul>\n<li><a href="/docs/one.md">One &amp; two</a>: `&lt;b&gt;` first.</li></ul>');
  }
  expect((await app.inject('/docs/one.md')).body).toBe('# 一');
  expect((await app.inject('/llms.txt')).headers.location).toBe('/docs/llms.txt');
});

test('without a build a page says how to make one', async () => {
  await using app = await serve('/nowhere');
  for (const [url, status] of [
    ['/docs', 200],
    ['/docs/', 200],
    ['/docs/reference/errors/', 404],
    ['/docs/index.md', 404],
  ] as const) {
    const { statusCode, body, headers } = await app.inject({ url, headers: { accept: 'text/html,*/*;q=0.8' } });
    expect([statusCode, headers['content-security-policy']]).toEqual([status, expect.stringContaining("default-src 'none'")]);
    expect(body).toContain('npm run docs');
  }
  expect((await app.inject('/llms.txt')).body).toContain('npm run docs');
  // The error of a program has the form of all others, and is no page.
  expect((await app.inject('/docs/index.md')).headers['content-type']).not.toContain('html');
});

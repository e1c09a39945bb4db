import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { Caller } from '#lib/contracts';
import { FileLinks, Files } from '#lib/files';
import { TestHttpGateway } from '../../test-http-gateway.js';

const minuteMs = 60_000;
const bytes = Buffer.from('0123456789');

let gateway: TestHttpGateway;
let count = 0;
beforeAll(async () => {
  gateway = await TestHttpGateway.start();
});
afterAll(async () => gateway[Symbol.asyncDispose]());

async function saved(more: { visibility?: 'private' | 'public'; filename?: string; expiresAt?: Date } = {}) {
  const file = {
    id: `file_${gateway.tenant.id}_${++count}`,
    owner: { tenantId: gateway.tenant.id, userId: 'user_001' },
    filename: 'report.txt',
    contentType: 'text/plain; charset=utf-8',
    visibility: 'private' as const,
    expiresAt: new Date(Date.now() + 10 * minuteMs),
    ...more,
  };
  await gateway.app.get(Files).save({ ...file, bytes });
  return file;
}

/** The path of a link that holds for this long from a time. */
function linkTo(file: Awaited<ReturnType<typeof saved>>, ttlMs = minuteMs, now = Date.now()): string {
  return linkBy({ credentialId: 'jwt:t/u' }, file, { ttlMs, now });
}

function linkBy(
  maker: Pick<Caller, 'credentialId' | 'credentialEndsAt'>,
  file: Awaited<ReturnType<typeof saved>>,
  { ttlMs = minuteMs, now = Date.now() } = {},
): string {
  return gateway.app.get(FileLinks).linkTo(file, { publicUrl: '', ttlMs, now, maker }).url;
}

describe('A file', () => {
  test('is sent to whoever has its link, and can run nothing in a browser', async () => {
    const { status, body, headers } = await gateway.send(linkTo(await saved()));
    expect([status, body, headers['content-type'], headers['content-length']]).toEqual([
      200,
      '0123456789',
      'text/plain; charset=utf-8',
      '10',
    ]);
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^sandbox; default-src 'none'/),
    });
    expect(headers['content-disposition']).toMatch(/^attachment; /);
    expect(headers['cache-control']).toMatch(/^private, max-age=(5\d\d|600)$/);
  });

  test('with a name outside of ASCII keeps it, and cannot break the header', async () => {
    const { headers } = await gateway.send(linkTo(await saved({ filename: '报告 "1".txt' })));
    expect(headers['content-disposition']).toBe(
      `attachment; filename="__ _1_.txt"; filename*=UTF-8''${encodeURIComponent('报告 "1".txt')}`,
    );
  });

  test('that is public needs no signature, one that is private does', async () => {
    const [open, closed] = [await saved({ visibility: 'public' }), await saved()];
    expect((await gateway.send(`/files/${open.id}`)).status).toBe(200);
    expect((await gateway.send(`/files/${closed.id}`)).status).toBe(403);
  });

  test('is not found by others than those with a good link: nobody learns what exists', async () => {
    expect((await gateway.send('/files/nothing')).status).toBe(403);
    const file = await saved();
    const gone = { ...file, id: `${file.id}_gone` };
    expect((await gateway.send(linkTo(gone))).status).toBe(404);
  });

  test.each(['/files/x', '/files/file_', `/files/file_${'x'.repeat(101)}`, '/files/..%2fx', '/files/file_%E5%81%A5', '/files/file_a%20b'])(
    'is not looked for under a name that no file has: %s',
    async (path) => {
      const find = jest.spyOn(gateway.app.get(Files), 'find');
      expect((await gateway.send(path)).status).toBe(403);
      expect((await gateway.send(`${path}?expires=9999999999&signature=x`)).status).toBe(403);
      expect(find).not.toHaveBeenCalled();
      find.mockRestore();
    },
  );

  test('is not looked for with a link that is not good', async () => {
    const file = await saved();
    const find = jest.spyOn(gateway.app.get(Files), 'find');
    for (const link of [linkTo(file, 0), linkTo(file).replace(/.$/, '*')]) expect((await gateway.send(link)).status).toBe(403);
    expect(find).not.toHaveBeenCalled();
    find.mockRestore();
  });

  test('is gone when its time is over', async () => {
    const file = await saved({ visibility: 'public', expiresAt: new Date(Date.now() - 1) });
    expect([403, 404]).toContain((await gateway.send(`/files/${file.id}`)).status);
  });
});

describe('A link', () => {
  test('holds for its time and not longer', async () => {
    const file = await saved();
    expect((await gateway.send(linkTo(file, minuteMs, Date.now() - minuteMs + 5_000))).status).toBe(200);
    const late = await gateway.send(linkTo(file, minuteMs, Date.now() - minuteMs - 2_000));
    expect([late.status, JSON.parse(late.body)]).toEqual([403, expect.objectContaining({ success: false })]);
    expect(late.body).toContain('expired');
  });

  test.each([
    ['another file', (link: string) => link.replace('/files/', '/files/x')],
    ['a later end', (link: string) => link.replace(/expires=(\d+)/, (_, at) => `expires=${Number(at) + 1}`)],
    ['another signature', (link: string) => link.replace(/signature=./, 'signature=*')],
    ['no signature', (link: string) => link.replace(/&signature=.*/, '')],
    ['two signatures', (link: string) => `${link}&signature=x`],
  ])('for %s is refused', async (_, change) => {
    expect((await gateway.send(change(linkTo(await saved())))).status).toBe(403);
  });
});

describe('A link ends with the credential that it was made with', () => {
  test('an API key, as soon as it is revoked', async () => {
    const key = await gateway.tenant.key();
    const credentialId = /^invoq_([^_]+)/.exec(key)?.[1] ?? '';
    const link = linkBy({ credentialId }, await saved());
    expect((await gateway.send(link)).status).toBe(200);
    for (const other of [
      link.replace(/&key=[^&]+/, ''),
      link.replace(/&key=[^&]+/, '&key='),
      `${link}&key=x`,
      link.replace('&key=', '&Key='),
    ])
      expect((await gateway.send(other)).status).toBe(403);
    expect((await gateway.send(`/keys/${credentialId}`, { method: 'DELETE', authorization: gateway.admin })).status).toBe(200);
    const { status, body } = await gateway.send(link);
    expect([status, body]).toEqual([403, expect.stringContaining('has ended with the API key')]);
  });

  test('an API key that there is no more', async () => {
    expect((await gateway.send(linkBy({ credentialId: 'unknown' }, await saved()))).status).toBe(403);
  });

  test('a token', async () => {
    const [file, credentialId] = [await saved(), 'jwt:t/u'];
    expect((await gateway.send(linkBy({ credentialId, credentialEndsAt: Date.now() + 5_000 }, file))).status).toBe(200);
    expect((await gateway.send(linkBy({ credentialId, credentialEndsAt: Date.now() }, file))).status).toBe(403);
  });
});

describe('A part of a file', () => {
  test.each([
    ['bytes=0-3', '0123', 'bytes 0-3/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-2', '89', 'bytes 8-9/10'],
    ['bytes=5-100', '56789', 'bytes 5-9/10'],
  ])('is sent for %s', async (range, text, place) => {
    const { status, body, headers } = await gateway.send(linkTo(await saved()), { headers: { range } });
    expect([status, body, headers['content-range'], headers['content-length']]).toEqual([206, text, place, String(text.length)]);
  });

  test('that lies behind the end cannot be sent', async () => {
    const { status, headers, body } = await gateway.send(linkTo(await saved()), { headers: { range: 'bytes=10-' } });
    expect([status, headers['content-range'], JSON.parse(body)]).toEqual([416, 'bytes */10', expect.objectContaining({ success: false })]);
  });

  test('is sent if the file is still the same, else all of it', async () => {
    const link = linkTo(await saved());
    const etag = String((await gateway.send(link)).headers['etag']);
    expect((await gateway.send(link, { headers: { range: 'bytes=0-3', 'if-range': etag } })).status).toBe(206);
    expect((await gateway.send(link, { headers: { range: 'bytes=0-3', 'if-range': '"other"' } })).status).toBe(200);
  });
});

test('A client that has the file is not sent it again; HEAD sends its headers alone', async () => {
  const link = linkTo(await saved());
  const head = await gateway.send(link, { method: 'HEAD' });
  expect([head.status, head.headers['content-length'], head.body]).toEqual([200, '10', '']);
  const again = await gateway.send(link, { headers: { 'if-none-match': `"x", W/${String(head.headers['etag'])}` } });
  expect([again.status, again.body]).toEqual([304, '']);
});

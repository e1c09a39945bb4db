import { createHash, randomUUID } from 'node:crypto';
import { mkdtempDisposableSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDatabase, fileSettings, type Database } from '#lib/platform';
import { BucketServer, givenStores } from '#lib/testing';
import { openDisk } from './disk.js';
import { ExpiringFiles, isMissing } from './expiring-files.js';
import { FilePieces } from './file-pieces.js';
import { fileIdOf, Files } from './files.js';
import { z } from 'zod';

const owner = { tenantId: `files-${randomUUID()}`, userId: 'u' };
const inAnHour = () => new Date(Date.now() + 3_600_000);

describe.each(['folder', 'bucket'])('files in a %s', (kind) => {
  let database: Database;
  let bucket: BucketServer;
  let files: Files;
  let expiring: ExpiringFiles;
  const folder = mkdtempDisposableSync(join(tmpdir(), 'invoq-files-test-'));

  beforeAll(async () => {
    process.env['AWS_ACCESS_KEY_ID'] = BucketServer.accessKey;
    process.env['AWS_SECRET_ACCESS_KEY'] = 'secret';
    database = createDatabase({ url: givenStores().databaseUrl, poolSize: 2, name: 'files-test' });
    bucket = await BucketServer.start();
    const env = kind === 'bucket' ? { FILES_S3_BUCKET: 'reports', FILES_S3_ENDPOINT: bucket.url } : { FILES_DIR: folder.path };
    const place = await openDisk(z.object(fileSettings).parse(env));
    files = new Files(database, async () => place);
    expiring = new ExpiringFiles(async () => place);
  });
  afterAll(async () => {
    await database.file.deleteMany({ where: { tenantId: owner.tenantId } });
    await database.$disconnect();
    await bucket[Symbol.asyncDispose]();
    folder.remove();
  });

  const stored = () =>
    kind === 'bucket'
      ? bucket.objects.size
      : readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  const save = (id: string, text: string, expiresAt = inAnHour()) =>
    files.save({ id, owner, filename: '报告.txt', contentType: 'text/plain', visibility: 'private', bytes: Buffer.from(text), expiresAt });

  test('are kept, found and read, whole and in part', async () => {
    const id = fileIdOf(randomUUID(), 'report');
    await save(id, '0123456789');
    const file = await files.find(id, new Date());
    if (!file) throw new Error('not found');
    expect(file).toMatchObject({ filename: '报告.txt', sizeBytes: 10, visibility: 'private', tenantId: owner.tenantId });
    expect(Buffer.from(await files.bytes(file)).toString()).toBe('0123456789');
    expect((await buffer(await files.read(file))).toString()).toBe('0123456789');
    expect((await buffer(await files.read(file, { start: 3, end: 5 }))).toString()).toBe('345');
  });

  test('that come in pieces are put together, and no piece is left', async () => {
    const pieces = new FilePieces(expiring, fileIdOf(randomUUID(), 'pieces'));
    const before = stored();
    const texts = ['one ', '', 'two ', 'x'.repeat(200_000)];
    for (const text of texts) await pieces.add(Buffer.from(text), Date.now());
    expect([pieces.size, stored()]).toEqual([200_008, before + 3]);
    const id = fileIdOf(randomUUID(), 'report');
    const whole = { id, owner, filename: 'a.txt', contentType: 'text/plain', visibility: 'private', expiresAt: inAnHour() } as const;
    const kept = await files.save({ ...whole, bytes: pieces.whole() });
    expect(kept).toMatchObject({ sizeBytes: 200_008, sha256: createHash('sha256').update(texts.join('')).digest('hex') });
    await pieces.drop();
    expect(stored()).toBe(before + 1);
    expect(Buffer.from(await files.bytes({ id })).toString()).toBe(texts.join(''));
    await files.delete(id);
    await files.delete(id);
    expect([stored(), await files.find(id, new Date())]).toEqual([before, null]);
  });

  test('of a part no more is read than that, and a part of nothing is an error', async () => {
    const id = fileIdOf(randomUUID(), 'report');
    await save(id, 'x'.repeat(50_000) + 'here' + 'x'.repeat(50_000));
    const before = bucket.sent;
    expect((await buffer(await files.read({ id }, { start: 50_000, end: 50_003 }))).toString()).toBe('here');
    expect(bucket.sent - before).toBe(kind === 'bucket' ? 4 : 0);
    bucket.knowsRanges = false;
    expect((await buffer(await files.read({ id }, { start: 50_000, end: 50_003 }))).toString()).toBe('here');
    bucket.knowsRanges = true;
    await expect(files.read({ id: fileIdOf(randomUUID(), 'report') }, { start: 0, end: 1 })).rejects.toThrow();
  });

  test('a second run of an invocation finds the first one’s place', async () => {
    const id = fileIdOf(randomUUID(), 'report');
    await save(id, 'first');
    const before = stored();
    await save(id, 'second run');
    expect(stored()).toBe(before);
    expect(await files.find(id, new Date())).toMatchObject({ sizeBytes: 10 });
  });

  test('that expire go by the hour, an hour late at the earliest, and no others', async () => {
    const now = Date.parse('2026-11-22T13:30:00Z');
    const hourMs = 3_600_000;
    expect(await expiring.removeExpired(now)).toBe(0);
    const [soon, later] = [await expiring.put('soon', 'a', now + 1), await expiring.put('later', 'b', now + hourMs)];
    const before = stored();
    expect(await expiring.removeExpired(now + hourMs)).toBe(0);
    expect([await expiring.get(soon), await expiring.get(later)]).toEqual(['a', 'b']);
    expect(await expiring.removeExpired(now + 2.5 * hourMs)).toBe(1);
    expect(stored()).toBe(before - 1);
    expect(isMissing(await expiring.get(soon).catch((error: unknown) => error))).toBe(true);
    expect(await expiring.get(later)).toBe('b');
    await expiring.delete(later);
    await expiring.delete(later);
    expect(isMissing(await expiring.get(later).catch((error: unknown) => error))).toBe(true);
  });

  test('what has expired is not found, and is removed with its bytes', async () => {
    const id = fileIdOf(randomUUID(), 'report');
    await save(id, 'soon gone', new Date(Date.now() - 1));
    const before = stored();
    expect(await files.find(id, new Date())).toBeNull();
    await files.removeExpired(new Date());
    expect(stored()).toBe(before - 1);
    expect(await database.file.findUnique({ where: { id } })).toBeNull();
  });

  test('of many that expire at once none is left, and none that is younger is removed', async () => {
    const row = { ...owner, filename: 'a', contentType: 'text/plain', sizeBytes: 1, sha256: '', visibility: 'private' as const };
    const expiring = (expiresAt: Date) => ({ ...row, id: fileIdOf(randomUUID(), 'report'), expiresAt });
    const [young, ...old] = [expiring(inAnHour()), ...Array.from({ length: 401 }, () => expiring(new Date(0)))];
    await database.file.createMany({ data: [young, ...old] });
    await files.removeExpired(new Date());
    expect(await database.file.count({ where: { id: { in: old.map(({ id }) => id) } } })).toBe(0);
    expect(await database.file.count({ where: { id: young.id } })).toBe(1);
  });
});

test('ids are the same over all attempts and fit a path', () => {
  expect(fileIdOf('inv_perception_1', 'report')).toBe(fileIdOf('inv_perception_1', 'report'));
  expect(fileIdOf('inv_perception_1', 'report')).not.toBe(fileIdOf('inv_perception_2', 'report'));
  expect(fileIdOf('inv_perception_1', 'report')).toMatch(/^file_[A-Za-z0-9]{24}$/);
});

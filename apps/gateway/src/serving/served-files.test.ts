import { expect, test } from '@jest/globals';
import { mostFileBytes, workerLimits, type FileData } from '#lib/contracts';
import { ServedFiles } from './served-files.js';

const caller = { tenantId: 't', userId: null, tier: 'pro', scopes: [], credentialId: 'k' } as const;
const data = Buffer.alloc(workerLimits.filePieceBytes).toString('base64');
const piece = (offset: number, more: object = {}) => ({
  type: 'file' as const,
  attempt: 'e.1',
  number: 1,
  name: 'a.bin',
  content_type: 'application/octet-stream',
  offset,
  data,
  last: false,
  ...more,
});

function files(isRunning: () => Promise<boolean> = async () => true) {
  const [pieces, kept] = [new Set<string>(), new Set<string>()];
  let puts = 0;
  const all = new ServedFiles({
    now: Date.now,
    kept: {
      keep: async (_caller, { id, filename, contentType, bytes }): Promise<FileData> => {
        kept.add(id);
        const size_bytes = bytes instanceof Uint8Array ? bytes.byteLength : bytes.size;
        return { file_id: id, filename, content_type: contentType, size_bytes, url: 'https://x.example/files/a', expires_at: '' };
      },
      remove: async (id) => void kept.delete(id),
    },
    pieces: {
      put: async (name) => {
        puts += 1;
        pieces.add(name);
        return name;
      },
      read: () => Promise.reject(new Error('not to be read')),
      delete: async (name) => void pieces.delete(name),
    },
    links: { fileOf: () => null },
    store: { attempts: { isRunning }, roomFor: async () => null },
  });
  return { all, attempt: all.of({ caller, effectKey: 'e', attempt: 1 }), pieces, kept, puts: () => puts };
}

test('a file of 100 MB is taken, and one byte more is not', async () => {
  const { all, attempt, pieces, kept } = files();
  for (let offset = 0; offset < mostFileBytes; offset += workerLimits.filePieceBytes) await attempt.take(piece(offset));
  const whole = await attempt.take(piece(mostFileBytes, { data: '', last: true }));
  expect(whole).toMatchObject({ received: mostFileBytes, file: { size_bytes: mostFileBytes } });
  expect([pieces.size, kept.size, all.heldBy('t')]).toEqual([0, 1, mostFileBytes]);
  for (let offset = 0; offset < mostFileBytes; offset += workerLimits.filePieceBytes) await attempt.take(piece(offset, { number: 2 }));
  await expect(attempt.take(piece(mostFileBytes, { number: 2, data: 'eA==', last: true }))).rejects.toThrow(/more than 104857600 bytes/);
  await attempt.close(true);
  expect([pieces.size, kept.size, all.heldBy('t')]).toEqual([0, 1, 0]);
});

test('a small file is never in pieces', async () => {
  const { attempt, puts } = files();
  expect(await attempt.take(piece(0, { last: true }))).toMatchObject({ file: { filename: 'a.bin' } });
  expect(puts()).toBe(0);
});

test('of pieces that come at once one is taken', async () => {
  const { attempt } = files();
  expect(await Promise.all([attempt.take(piece(0)), attempt.take(piece(0))])).toEqual([
    { number: 1, received: workerLimits.filePieceBytes },
    null,
  ]);
});

test('an attempt that has lost its call keeps no file, and one that is over takes none', async () => {
  const { attempt, kept } = files(async () => false);
  await expect(attempt.take(piece(0, { last: true }))).rejects.toThrow(/Another attempt/);
  await attempt.close(false);
  expect(await attempt.take(piece(0, { number: 2, last: true }))).toBeNull();
  expect(kept.size).toBe(0);
});

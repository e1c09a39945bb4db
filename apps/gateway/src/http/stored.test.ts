import { expect, test } from '@jest/globals';
import { Refusal } from '#lib/contracts';
import { stored } from './stored.js';

test('what the store gives is passed on', async () => {
  expect(await stored('The key store cannot be reached', async () => 7)).toBe(7);
});

test('a fault is a network error for the caller and keeps its cause for the log', async () => {
  const cause = new Error('Connection terminated unexpectedly');
  const failing = stored('The key store cannot be reached', () => Promise.reject(cause));
  await expect(failing).rejects.toMatchObject({
    cause,
    error: { code: 'NETWORK_ERROR', message: 'The key store cannot be reached', retry_after_ms: 1_000 },
  });
});

test('work that throws before it waits is treated the same', async () => {
  const failing = stored('The key store cannot be reached', () => {
    throw new TypeError('no connection');
  });
  await expect(failing).rejects.toMatchObject({ error: { code: 'NETWORK_ERROR' }, cause: expect.any(TypeError) });
});

test('what the work refuses stays as it is', async () => {
  const full = new Refusal('QUOTA_EXCEEDED', 'There is no room');
  await expect(stored('The key store cannot be reached', () => Promise.reject(full))).rejects.toBe(full);
});

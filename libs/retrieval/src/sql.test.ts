import { describe, expect, test } from '@jest/globals';
import { inTransaction, type SqlPool } from './sql.js';

/** A pool of one connection that writes down what it is told, and fails at some statements. */
function recording(failing: readonly string[] = []) {
  const log: string[] = [];
  const run = (text: string) => {
    log.push(text.trim());
    return failing.includes(text) ? Promise.reject(new Error(`${text} failed`)) : Promise.resolve({ rows: [] });
  };
  const pool: SqlPool = {
    query: run,
    connect: () => Promise.resolve({ query: run, release: (broken) => void log.push(broken ? 'release broken' : 'release') }),
  };
  return { pool, log };
}

describe('a transaction', () => {
  test('is committed and gives its connection back', async () => {
    const { pool, log } = recording();
    expect(await inTransaction(pool, async (sql) => (await sql.query('WORK'), 7))).toBe(7);
    expect(log).toEqual(['BEGIN;', 'WORK', 'COMMIT', 'release']);
  });

  test('begins with its settings in the same round trip', async () => {
    const { pool, log } = recording();
    await inTransaction(pool, () => Promise.resolve(), 'SET LOCAL a = 1');
    expect(log[0]).toBe('BEGIN; SET LOCAL a = 1');
  });

  test('is rolled back when the work fails, and tells why', async () => {
    const { pool, log } = recording(['WORK']);
    await expect(inTransaction(pool, (sql) => sql.query('WORK'))).rejects.toThrow('WORK failed');
    expect(log).toEqual(['BEGIN;', 'WORK', 'ROLLBACK', 'release']);
  });

  test('that cannot be committed is rolled back', async () => {
    const { pool, log } = recording(['COMMIT']);
    await expect(inTransaction(pool, () => Promise.resolve())).rejects.toThrow('COMMIT failed');
    expect(log).toEqual(['BEGIN;', 'COMMIT', 'ROLLBACK', 'release']);
  });

  test('whose connection broke tells of the work, and the pool throws the connection away', async () => {
    const { pool, log } = recording(['WORK', 'ROLLBACK']);
    await expect(inTransaction(pool, (sql) => sql.query('WORK'))).rejects.toThrow('WORK failed');
    expect(log.at(-1)).toBe('release broken');
  });
});

import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { createLogger } from '#lib/platform';
import { hashedNgrams, type Sql } from '#lib/retrieval';
import { Metrics } from '#lib/transport';
import { VectorBackfill } from './vector-backfill.js';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

/** A store in which a section lacks its vector as often as `lacking` says, and a record of what was asked and logged. */
function setUp(lacking: () => number | Error) {
  const events: string[] = [];
  let left = 0;
  const missing = () => {
    const now = left > 0 ? left : lacking();
    if (now instanceof Error) return Promise.reject(now);
    left = now;
    events.push(`asked: ${left}`);
    const page = left > 0 ? [{ id: 1, space: 'knowledge:1', ref: '1' }] : [];
    left = 0;
    return Promise.resolve(page);
  };
  const put = (texts: ReadonlyMap<number, string>) => Promise.resolve(void events.push(`put: ${texts.size}`));
  const row = {
    id: 1,
    document_id: 'd',
    collection: 'c',
    page: 'P',
    path: 'p',
    tags: [],
    heading_path: [],
    key_terms: [],
    title: 'T',
    content: 'C',
  };
  const rest = { type: 'public', last_updated: new Date(0), anchor: null, title_en: null, summary: null, section_source: null };
  const urls = { document_source: null, section_url: null, document_url: null, repo_path: null };
  const pool = { query: () => Promise.resolve({ rows: [{ ...row, ...rest, ...urls }] }) } as unknown as Sql;
  const log = {
    info: ({ event, made }: { event: string; made: number }) => void events.push(`info ${event} ${made}`),
    warn: ({ event }: { event: string }) => void events.push(`warn ${event}`),
  };
  const backfill = new VectorBackfill({ pool, vectors: { missing, put, embedder: hashedNgrams(8) }, metrics: new Metrics(), log });
  return { backfill, events };
}

describe('the backfill of vectors', () => {
  test('looks five seconds after the start, then every minute', async () => {
    const { backfill, events } = setUp(() => 0);
    backfill.start();
    await jest.advanceTimersByTimeAsync(4_999);
    expect(events).toEqual([]);
    await jest.advanceTimersByTimeAsync(1);
    expect(events).toEqual(['asked: 0']);
    await jest.advanceTimersByTimeAsync(59_999);
    expect(events).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(events).toHaveLength(2);
    await backfill.stop();
  });

  test('makes what is missing and says how much', async () => {
    let asks = 0;
    const { backfill, events } = setUp(() => (asks++ === 0 ? 1 : 0));
    backfill.start();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(events).toEqual(['asked: 1', 'put: 1', 'asked: 0', 'info late-vectors 1']);
    await backfill.stop();
  });

  test('warns when its provider is away, and tries again a minute later', async () => {
    let asks = 0;
    const { backfill, events } = setUp(() => (asks++ === 0 ? new Error('away') : 0));
    backfill.start();
    await jest.advanceTimersByTimeAsync(5_000);
    expect(events).toEqual(['warn no-vectors']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(events).toEqual(['warn no-vectors', 'asked: 0']);
    await backfill.stop();
  });

  test('asks nothing more once it is stopped', async () => {
    const { backfill, events } = setUp(() => 0);
    backfill.start();
    await backfill.stop();
    await jest.advanceTimersByTimeAsync(600_000);
    expect(events).toEqual([]);
  });

  test('without vectors never looks', async () => {
    const backfill = new VectorBackfill({
      pool: { query: () => Promise.reject(new Error('asked')) },
      vectors: null,
      metrics: new Metrics(),
      log: createLogger('test', 'silent'),
    });
    backfill.start();
    expect(jest.getTimerCount()).toBe(0);
    await backfill.stop();
  });
});
